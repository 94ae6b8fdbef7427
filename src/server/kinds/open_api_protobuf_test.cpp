#include "server/kinds/open_api_protobuf.h"

#include "object/protobuf/protobuf_wire.h"
#include "server/kinds/open_api.h"
#include "server/test_server.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

using Path = std::initializer_list<std::uint64_t>;

/// The contents of every field that lies on this path of numbers.
std::vector<std::string> fields_at(const std::string& message, Path path) {
  std::vector<std::string> found{message};
  for (const std::uint64_t number : path) {
    std::vector<std::string> below;
    for (const std::string& one : found) {
      protobuf::WireReader reader(one);
      while (!reader.done()) {
        const auto item = reader.next();
        EXPECT_TRUE(item);
        if (!item) return {};
        if (item->number != number) continue;
        below.push_back(item->wire == protobuf::Wire::kBytes ? std::string(item->bytes)
                                                             : std::to_string(item->value));
      }
    }
    found = std::move(below);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(OpenApiProtobuf, SchemasKeepWhatTheySay) {
  const Json document = *parse_json(R"({"swagger":"2.0","info":{"title":"T","version":"v"},
    "definitions":{"a.B":{"type":"object","description":"D","required":["x"],"properties":{
      "x":{"type":"integer","minimum":1.5,"maxLength":300,"default":{"y":[1]},"enum":["p"]},
      "list":{"type":"array","items":{"$ref":"#/definitions/a.B"}},
      "map":{"type":"object","additionalProperties":{"type":"string"}},
      "open":{"additionalProperties":true,"allOf":[{"$ref":"r"}]}},"x-ext":[{"k":"v"}]}}})");
  const std::string bytes = encode_open_api_v2(document);
  EXPECT_EQ(fields_at(bytes, {1}), Texts{"2.0"});
  EXPECT_EQ(fields_at(bytes, {2, 1}), Texts{"T"});
  EXPECT_EQ(fields_at(bytes, {9, 1, 1}), Texts{"a.B"});
  const std::string schema = fields_at(bytes, {9, 1, 2}).at(0);
  EXPECT_EQ(fields_at(schema, {4}), Texts{"D"});
  EXPECT_EQ(fields_at(schema, {22, 1}), Texts{"object"});
  EXPECT_EQ(fields_at(schema, {19}), Texts{"x"});
  EXPECT_EQ(fields_at(schema, {25, 1, 1}), (Texts{"x", "list", "map", "open"}));
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 11}), Texts{"300"});
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 9}), Texts{std::to_string(0x3FF8000000000000)});
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 5, 2}), Texts{R"({"y":[1]})"});
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 20, 2}), Texts{R"("p")"});
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 23, 1, 1}), Texts{"#/definitions/a.B"});
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 21, 1, 22, 1}), Texts{"string"});
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 21, 2}), Texts{"1"});
  EXPECT_EQ(fields_at(schema, {25, 1, 2, 24, 1}), Texts{"r"});
  EXPECT_EQ(fields_at(schema, {31, 1}), Texts{"x-ext"});
  EXPECT_EQ(fields_at(schema, {31, 2, 2}), Texts{R"([{"k":"v"}])"});
}

TEST(OpenApiProtobuf, SaysOfEveryPatchThatFieldsAreValidated) {
  OpenApi open_api(test_kinds());
  const std::string bytes = open_api.protobuf_v2();
  std::size_t patches = 0;
  for (const std::string& operation : fields_at(bytes, {8, 2, 2, 8})) {
    ++patches;
    EXPECT_EQ(fields_at(operation, {8, 1, 2, 3, 4}),
              (Texts{"dryRun", "fieldManager", "fieldValidation"}));
    EXPECT_EQ(fields_at(operation, {13, 1}),
              (Texts{"x-kubernetes-action", "x-kubernetes-group-version-kind"}));
  }
  EXPECT_GT(patches, 20U);
  const Texts names = fields_at(bytes, {9, 1, 1});
  for (const char* name : {"io.k8s.api.core.v1.Pod", "io.k8s.api.apps.v1.Deployment",
                           "dev.tensorstack.batch.v1beta1.PyTorchTrainingJob"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

}  // namespace
}  // namespace trainyard::server
