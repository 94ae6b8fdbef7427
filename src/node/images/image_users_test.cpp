#include "node/images/image_users.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using Groups = std::vector<std::int64_t>;

const ImageUsers kUsers{"",
                        "root:x:0:0:root:/root:/bin/sh\n"
                        "damaged line\n"
                        "app:x:1000:1001:who:/home/app:/bin/sh\n"
                        "bare:x:7:8::\n",
                        "root:x:0:\nstaff:x:50:app,other\nvideo:x:44:other,app\napp:x:1001:app\n"};

ImageUser found(const std::string& user) {
  return find_image_user(user, kUsers).value_or(ImageUser{-1, -1, {}, ""});
}

TEST(ImageUsers, ANameIsLookedUpWithItsGroupsAndHome) {
  EXPECT_EQ(found("app"), (ImageUser{1000, 1001, Groups{50, 44}, "/home/app"}));
  EXPECT_EQ(found("root"), (ImageUser{0, 0, {}, "/root"}));
  EXPECT_EQ(found("bare"), (ImageUser{7, 8, {}, "/"}));
}

TEST(ImageUsers, ANumberNeedsNoLine) {
  EXPECT_EQ(found("1000"), found("app"));
  EXPECT_EQ(found("4000"), (ImageUser{4000, 0, {}, "/"}));
  EXPECT_EQ(find_image_user("12:13", {}).value_or({}), (ImageUser{12, 13, {}, "/"}));
}

TEST(ImageUsers, AGroupThatIsSaidIsTheOnlyOne) {
  EXPECT_EQ(found("app:video"), (ImageUser{1000, 44, {}, "/home/app"}));
  EXPECT_EQ(found("4000:staff"), (ImageUser{4000, 50, {}, "/"}));
  EXPECT_EQ(found(":50"), (ImageUser{0, 50, {}, "/root"}));
  EXPECT_EQ(found("app:"), found("app"));
}

TEST(ImageUsers, WhatIsInNoTableIsNamed) {
  const auto user = find_image_user("nobody:staff", kUsers);
  ASSERT_TRUE(user.failed_with(Code::kUnavailable));
  EXPECT_EQ(user.error().message(),
            "the image runs as \"nobody:staff\", but its /etc/passwd has no user \"nobody\": set "
            "securityContext.runAsUser and runAsGroup to numbers, or load an image that has");
  const auto group = find_image_user("app:none", kUsers);
  ASSERT_TRUE(group.failed_with(Code::kUnavailable));
  EXPECT_NE(group.error().message().find("its /etc/group has no group \"none\""),
            std::string::npos);
  for (const char* bad : {"-1", "99999999999", "damaged line", "1000 ", "app:-5"}) {
    EXPECT_FALSE(find_image_user(bad, kUsers)) << bad;
  }
}

}  // namespace
}  // namespace trainyard::node
