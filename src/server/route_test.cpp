#include "server/route.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

/// group|version|plural|namespace|name|subresource, or "-".
std::string describe(std::string_view path) {
  const auto route = parse_route(path);
  if (!route) return "-";
  return fmt::format("{}|{}|{}|{}|{}|{}", route->resource.group, route->resource.version,
                     route->resource.plural, route->key.ns, route->key.name, route->subresource);
}

TEST(ParseRoute, FindsResourceKeyAndSubresource) {
  struct Case {
    const char* path;
    const char* expected;
  };
  const Case cases[] = {
      {"/api/v1/pods", "|v1|pods|||"},
      {"/api/v1/namespaces/a/pods", "|v1|pods|a||"},
      {"/api/v1/namespaces/a/pods/p", "|v1|pods|a|p|"},
      {"/api/v1/namespaces/a/pods/p/log", "|v1|pods|a|p|log"},
      {"/api/v1/nodes/node-0", "|v1|nodes||node-0|"},
      {"/api/v1/nodes/node-0/status", "|v1|nodes||node-0|status"},
      {"/api/v1/namespaces", "|v1|namespaces|||"},
      {"/api/v1/namespaces/a", "|v1|namespaces||a|"},
      {"/api/v1/namespaces/a/status", "|v1|namespaces||a|status"},
      {"/api/v1/namespaces/a/finalize", "|v1|namespaces||a|finalize"},
      {"/apis/batch.tensorstack.dev/v1beta1/pytorchtrainingjobs",
       "batch.tensorstack.dev|v1beta1|pytorchtrainingjobs|||"},
      {"/apis/batch.tensorstack.dev/v1beta1/namespaces/a/pytorchtrainingjobs/j/status",
       "batch.tensorstack.dev|v1beta1|pytorchtrainingjobs|a|j|status"},
  };
  for (const Case& expected : cases) {
    EXPECT_EQ(describe(expected.path), expected.expected) << expected.path;
  }
}

TEST(ParseRoute, LeavesOtherPathsAlone) {
  for (const char* path :
       {"", "/", "/api", "/api/v1", "/apis", "/apis/g", "/apis/g/v1", "/version", "/openapi/v3",
        "/apiss/v1/pods", "/api/v1/namespaces/a/pods/p/log/more"}) {
    EXPECT_EQ(describe(path), "-") << path;
  }
}

TEST(ChooseForm, TakesTheFirstFormThatItCanGive) {
  const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
  struct Case {
    std::string accept;
    Form expected;
  };
  const Case cases[] = {
      {"", Form::kJson},
      {"*/*", Form::kJson},
      {"application/*", Form::kJson},
      {"application/json", Form::kJson},
      {"application/json; charset=utf-8", Form::kJson},
      {kTable, Form::kTable},
      {std::string(kTable) + ",application/json", Form::kTable},
      {std::string("application/json, ") + kTable, Form::kJson},
      {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", Form::kMetadata},
      {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", Form::kMetadata},
      {"application/vnd.kubernetes.protobuf,application/json", Form::kJson},
      {"application/vnd.kubernetes.protobuf;as=Table, " + std::string(kTable), Form::kTable},
      {"application/vnd.kubernetes.protobuf", Form::kNone},
      {"application/json;as=Sculpture", Form::kNone},
      {"text/html", Form::kNone},
  };
  for (const Case& expected : cases) {
    EXPECT_EQ(choose_form(expected.accept), expected.expected) << expected.accept;
  }
}

}  // namespace
}  // namespace trainyard::server
