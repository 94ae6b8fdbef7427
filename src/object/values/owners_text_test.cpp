#include "object/values/owners_text.h"

#include "object/json/json.h"
#include "object/values/metadata.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

std::string without_owners(std::string text) {
  const OwnersPlace owners = find_owners(text);
  return text.erase(owners.begin, owners.end - owners.begin);
}

TEST(OwnersText, IsFoundWhereverItStandsInTheMetadata) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"metadata":{"managedFields":[]}})", R"({"metadata":{}})"},
      {R"({"metadata":{"managedFields":[{"a":1}],"name":"x"}})", R"({"metadata":{"name":"x"}})"},
      {R"({"metadata":{"name":"x","managedFields":[{"a":"]"}]}})", R"({"metadata":{"name":"x"}})"},
      {R"({"kind":"A","metadata":{"a":1,"managedFields":[[]],"b":{}},"spec":{}})",
       R"({"kind":"A","metadata":{"a":1,"b":{}},"spec":{}})"},
      {R"({"a":"\\\"metadata\":{","metadata":{"n":"\"\\","managedFields":null}})",
       R"({"a":"\\\"metadata\":{","metadata":{"n":"\"\\"}})"}};
  for (const auto& [whole, rest] : cases) EXPECT_EQ(without_owners(whole), rest) << whole;
}

TEST(OwnersText, IsNotTakenForWhatOnlyLooksLikeIt) {
  for (const char* text :
       {R"({})", R"([])", R"("metadata")", R"({"metadata":"managedFields"})",
        R"({"metadata":{"annotations":{"managedFields":[]}}})",
        R"({"spec":{"metadata":{"managedFields":[]}},"metadata":{"name":"managedFields"}})",
        R"({"metadata":{"managedFields2":[]},"managedFields":[]})"}) {
    EXPECT_FALSE(find_owners(text).is_there()) << text;
  }
}

TEST(OwnersText, OneCopyIsSharedAndForgotten) {
  SharedOwners shared;
  auto first = shared.share("owners");
  EXPECT_EQ(shared.share("owners"), first);
  EXPECT_NE(shared.share("others"), first);
  shared.forget_unused();
  EXPECT_EQ(shared.size(), 1U);
  first = nullptr;
  shared.forget_unused();
  EXPECT_EQ(shared.size(), 0U);
}

}  // namespace
}  // namespace trainyard
