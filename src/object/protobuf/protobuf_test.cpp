#include "object/protobuf/protobuf.h"

#include "base/crypto/ids.h"
#include "embedded/protobuf_samples.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace trainyard {
namespace {

struct Sample {
  Json json;
  std::string protobuf;
};

/// Written by Kubernetes' own Go types, one object a kind: a line of JSON without its nulls, then
/// its protobuf as base64. Each type is filled in once. The first half of the file has another
/// value in each field, the second half zeros and one zero in each list.
std::vector<Sample> read_samples() {
  std::vector<Sample> samples;
  std::string_view text = embedded::protobuf_samples()[0].bytes;
  const auto line = [&] {
    const std::string_view cut = text.substr(0, text.find('\n'));
    text.remove_prefix(cut.size() + 1);
    return cut;
  };
  while (!text.empty()) {
    Sample sample;
    sample.json = *parse_json(line());
    sample.protobuf = *base64_decode(line());
    samples.push_back(std::move(sample));
  }
  return samples;
}

// The wire format, by hand.

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string number(std::uint64_t field, std::int64_t value) {
  return varint(field << 3) + varint(static_cast<std::uint64_t>(value));
}

std::string bytes(std::uint64_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}

std::string body(const std::string& api_version, const std::string& kind,
                 const std::string& object) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, api_version) + bytes(2, kind)) +
         bytes(2, object) + bytes(3, "") + bytes(4, "");
}

std::string decode(const std::string& api_version, const std::string& kind,
                   const std::string& object) {
  const Result<Json> decoded = decode_protobuf(body(api_version, kind, object));
  return decoded ? to_text(*decoded) : decoded.error().message();
}

bool refuses(const std::string& kind, const std::string& object) {
  return decode_protobuf(body("v1", kind, object)).failed_with(Code::kBadRequest);
}

/// {metadata: {creationTimestamp: …}}
std::string created(const std::string& time) {
  return bytes(1, bytes(8, time));
}

TEST(DecodeProtobuf, GivesTheJsonOfEveryKind) {
  const std::vector<Sample> samples = read_samples();
  ASSERT_EQ(samples.size(), 82);
  for (const Sample& sample : samples) {
    const Result<Json> decoded = decode_protobuf(sample.protobuf);
    ASSERT_TRUE(decoded) << decoded.error().message() << "\n" << to_text(sample.json);
    EXPECT_EQ(*decoded, sample.json) << to_pretty_text(*decoded) << "\nshould be\n"
                                     << to_pretty_text(sample.json);
  }
}

TEST(DecodeProtobuf, BeginsWithTheKind) {
  EXPECT_EQ(decode("v1", "ConfigMap", bytes(1, bytes(1, "a"))),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})");
}

TEST(DecodeProtobuf, ReadsDeleteOptionsOfEveryGroup) {
  EXPECT_EQ(decode("apps/v1", "DeleteOptions", number(1, 0) + bytes(4, "Orphan")),
            R"({"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0,)"
            R"("propagationPolicy":"Orphan"})");
}

TEST(DecodeProtobuf, SkipsFieldsItDoesNotKnow) {
  const std::string unknown = number(99, 7) + bytes(98, "x") + varint(97 << 3 | 1) + "12345678" +
                              varint(96 << 3 | 5) + "1234" + number(1ULL << 60, 1);
  EXPECT_EQ(decode("v1", "Namespace", unknown + bytes(1, unknown + bytes(1, "a")) + unknown),
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a"}})");
}

TEST(DecodeProtobuf, ReadsNumbersOneByOneAndInOneRun) {
  const auto groups = [](const std::string& list) {
    return decode("v1", "Pod", bytes(2, bytes(14, list)));  // spec.securityContext
  };
  const std::string read =
      R"({"kind":"Pod","apiVersion":"v1","spec":{"securityContext":{"supplementalGroups":[1,-2,300]}}})";
  EXPECT_EQ(groups(number(4, 1) + number(4, -2) + number(4, 300)), read);
  EXPECT_EQ(groups(bytes(4, varint(1) + varint(static_cast<std::uint64_t>(-2)) + varint(300))),
            read);
}

TEST(DecodeProtobuf, TakesMissingPartsOfAMapEntryForEmpty) {
  const std::string data = bytes(2, "") + bytes(2, bytes(1, "a")) + bytes(2, bytes(2, "b"));
  EXPECT_EQ(decode("v1", "ConfigMap", data),
            R"({"kind":"ConfigMap","apiVersion":"v1","data":{"":"b","a":""}})");
}

TEST(DecodeProtobuf, ReadsTimesFarFromNowAndLeavesOutNoTime) {
  const auto time = [](const std::string& bytes) {
    const Result<Json> decoded = decode_protobuf(body("v1", "Pod", created(bytes)));
    return decoded ? std::string(string_at(*decoded, "metadata.creationTimestamp", "none"))
                   : decoded.error().message();
  };
  EXPECT_EQ(time(""), "none");
  EXPECT_EQ(time(number(1, 0) + number(2, 0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(time(number(1, -1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(time(number(1, -62135596800)), "0001-01-01T00:00:00Z");
  EXPECT_EQ(time(number(1, 253402300799)), "9999-12-31T23:59:59Z");
}

TEST(DecodeProtobuf, RefusesTimesOutOfRange) {
  EXPECT_TRUE(refuses("Pod", created(number(1, -62135596801))));
  EXPECT_TRUE(refuses("Pod", created(number(1, 253402300800))));
  EXPECT_TRUE(refuses("Pod", created(number(1, std::numeric_limits<std::int64_t>::min()))));
  EXPECT_TRUE(refuses("Pod", created(number(1, 1) + number(2, -1))));
}

TEST(DecodeProtobuf, RefusesTextThatIsNotUtf8) {
  EXPECT_TRUE(refuses("ConfigMap", bytes(1, bytes(1, "\xff"))));
  EXPECT_TRUE(refuses("ConfigMap", bytes(2, bytes(1, "\xc3") + bytes(2, "x"))));
  EXPECT_TRUE(decode_protobuf(body("v1", "\xff", "")).failed_with(Code::kBadRequest));
}

TEST(DecodeProtobuf, RefusesWrongWireTypes) {
  EXPECT_TRUE(refuses("ConfigMap", number(1, 1)));                    // a message
  EXPECT_TRUE(refuses("ConfigMap", number(2, 1)));                    // a map
  EXPECT_TRUE(refuses("ConfigMap", bytes(4, "x")));                   // a boolean
  EXPECT_TRUE(refuses("Pod", bytes(2, bytes(1, number(2, 1)))));      // fields of a volume's source
  EXPECT_TRUE(refuses("ConfigMap", varint(1 << 3 | 3)));              // a group
  EXPECT_TRUE(refuses("ConfigMap", varint(0 << 3 | 2) + varint(0)));  // the number 0
  EXPECT_TRUE(refuses("ConfigMap", std::string(11, '\xff')));         // too long a number
}

TEST(DecodeProtobuf, RefusesKindsThatAreNotDescribed) {
  for (const auto& [api_version, kind] : {std::pair("v1", "Nonsense"), std::pair("v2", "Pod"),
                                          std::pair("v1", "PodSpec"), std::pair("", "")}) {
    EXPECT_TRUE(decode_protobuf(body(api_version, kind, "")).failed_with(Code::kUnsupported));
  }
}

TEST(DecodeProtobuf, RefusesAnotherEncodingInside) {
  EXPECT_TRUE(
      decode_protobuf(body("v1", "Pod", "") + bytes(3, "gzip")).failed_with(Code::kUnsupported));
  EXPECT_TRUE(decode_protobuf(body("v1", "Pod", "") + bytes(4, "application/json"))
                  .failed_with(Code::kUnsupported));
}

TEST(DecodeProtobuf, RefusesBodiesWithoutTheMark) {
  for (const std::string& text : {std::string(), std::string("k8s"), std::string("k8s\x01"),
                                  std::string("{\"kind\":\"Pod\"}")}) {
    EXPECT_TRUE(decode_protobuf(text).failed_with(Code::kBadRequest)) << text;
  }
}

/// A definition whose schema says not: {not: {not: …}}.
std::string nested_schema(std::size_t levels, const std::string& innermost) {
  std::string schema = innermost;
  for (std::size_t i = 0; i < levels; ++i) schema = bytes(28, schema);
  const std::string version = bytes(7, bytes(4, bytes(1, schema)));
  return body("apiextensions.k8s.io/v1", "CustomResourceDefinition", bytes(2, version));
}

TEST(DecodeProtobuf, NestsAsDeepAsJsonMayAndNotDeeper) {
  const std::size_t around = 6;  // the object, spec, versions, [0], schema, openAPIV3Schema
  const Result<Json> deepest = decode_protobuf(nested_schema(kMaxDepth - around, ""));
  ASSERT_TRUE(deepest);
  EXPECT_TRUE(parse_json(to_text(*deepest)));
  EXPECT_TRUE(
      decode_protobuf(nested_schema(kMaxDepth - around + 1, "")).failed_with(Code::kBadRequest));
  EXPECT_TRUE(decode_protobuf(nested_schema(5'000, "")).failed_with(Code::kBadRequest));
}

TEST(DecodeProtobuf, CountsTheDepthOfListsMapsAndJsonInside) {
  const std::size_t levels = kMaxDepth - 6;
  EXPECT_TRUE(decode_protobuf(nested_schema(levels - 1, bytes(23, "x"))));  // required: [x]
  EXPECT_FALSE(decode_protobuf(nested_schema(levels, bytes(23, "x"))));     //
  EXPECT_FALSE(decode_protobuf(nested_schema(levels - 1, bytes(29, ""))));  // properties: {"": {}}
  EXPECT_TRUE(decode_protobuf(nested_schema(levels - 2, bytes(29, ""))));   //
  EXPECT_TRUE(decode_protobuf(nested_schema(levels, bytes(8, bytes(1, "1")))));  // default
  EXPECT_TRUE(decode_protobuf(nested_schema(levels - 2, bytes(8, bytes(1, "[[]]")))));
  EXPECT_FALSE(decode_protobuf(nested_schema(levels - 2, bytes(8, bytes(1, "[[[]]]")))));
}

TEST(DecodeProtobuf, RefusesEveryBodyThatWasCutOff) {
  const std::size_t end_of_envelope = 4;  // two empty fields, which need not be there
  for (const Sample& sample : read_samples()) {
    for (std::size_t size = 0; size + end_of_envelope < sample.protobuf.size(); ++size) {
      const std::string_view begin = std::string_view(sample.protobuf).substr(0, size);
      // Cut between the type and the object, it is a whole body whose object is empty.
      if (const Result<Json> decoded = decode_protobuf(begin)) {
        EXPECT_EQ(decoded->get_object().size(), 2) << size << to_text(sample.json);
      }
    }
  }
}

TEST(DecodeProtobuf, SurvivesBytesThatWereChanged) {
  std::mt19937 random(1);
  for (const Sample& sample : read_samples()) {
    for (int round = 0; round < 20; ++round) {
      std::string changed = sample.protobuf;
      for (unsigned i = random() % 4 + 1; i > 0; --i) {
        changed[4 + random() % (changed.size() - 4)] = static_cast<char>(random());
      }
      if (const Result<Json> decoded = decode_protobuf(changed)) {
        EXPECT_TRUE(parse_json(to_text(*decoded)));
      }
    }
  }
}

TEST(DecodeProtobuf, SurvivesRandomBytes) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::string noise(random() % 60, ' ');
    for (char& c : noise) c = static_cast<char>(random() % (round % 2 == 0 ? 256 : 32));
    const char* kind = round % 3 == 0 ? "Pod" : "Secret";
    if (const Result<Json> decoded = decode_protobuf(body("v1", kind, noise))) {
      EXPECT_TRUE(parse_json(to_text(*decoded)));
    }
    EXPECT_FALSE(decode_protobuf(noise));
  }
}

}  // namespace
}  // namespace trainyard
