#include "contract/user_secret.h"

#include "object/values/metadata.h"

#include <gtest/gtest.h>

namespace trainyard::contract {
namespace {

TEST(UserSecret, ReadsWhatItMakesAndHoldsNoToken) {
  const std::string token = make_user_token();
  const Json secret = make_user_secret({"ann.b", hash_user_token(token), {"team a", "x,y"}});
  EXPECT_EQ(name_of(secret), "user-ann.b");
  EXPECT_EQ(to_text(secret).find(token), std::string::npos);
  const auto user = read_user_secret(secret);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ann.b");
  EXPECT_EQ(user->token_hash, hash_user_token(token));
  EXPECT_EQ(user->groups, (std::vector<std::string>{"team a", "x,y"}));
}

TEST(UserSecret, WithoutWhatItNeedsIsNone) {
  const Json good = make_user_secret({"ann", hash_user_token("t"), {}});
  ASSERT_TRUE(read_user_secret(good));
  for (const char* field : {"username", "token-sha256", "groups"}) {
    Json broken = good;
    make_path(broken, std::string("data.") + field) = "!";
    EXPECT_FALSE(read_user_secret(broken)) << field;
  }
  Json empty_hash = good;
  make_path(empty_hash, "data.token-sha256") = "";
  EXPECT_FALSE(read_user_secret(empty_hash));
  EXPECT_FALSE(read_user_secret(JsonObject()));
  EXPECT_FALSE(read_user_secret(make_user_secret({"Ann", hash_user_token("t"), {}})));
  EXPECT_FALSE(read_user_secret(make_user_secret({"ann", hash_user_token("t"), {"system:x"}})));
}

TEST(UserSecret, TokensAreLongAndDiffer) {
  const std::string token = make_user_token();
  EXPECT_TRUE(token.starts_with("ty_"));
  EXPECT_EQ(token.size(), 3U + 48U);
  EXPECT_NE(token, make_user_token());
}

TEST(UserSecret, SaysWhatIsWrongWithANameOrGroup) {
  EXPECT_EQ(check_user_name("ann-b.c"), "");
  for (const char* name : {"", "Ann", "ann@example.com", "-ann", "system:admin", "a b"}) {
    EXPECT_NE(check_user_name(name), "") << name;
  }
  EXPECT_NE(check_user_name(std::string(51, 'a')), "");
  EXPECT_EQ(check_group_name("Team A"), "");
  for (const char* group : {"", "system:masters", "a\nsystem:masters"}) {
    EXPECT_NE(check_group_name(group), "") << group;
  }
}

}  // namespace
}  // namespace trainyard::contract
