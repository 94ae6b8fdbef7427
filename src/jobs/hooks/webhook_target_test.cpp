#include "jobs/hooks/webhook_target.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainyard::jobs {
namespace {

TEST(ParseWebhook, PartsWhatMayBeShownFromWhatMayNot) {
  const auto target = parse_webhook("https://chat.example.org:8443/hooks/T0K3N?a=1#part");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->origin, "https://chat.example.org:8443");
  EXPECT_EQ(target->path, "/hooks/T0K3N?a=1");
  EXPECT_EQ(parse_webhook("https://example.org")->path, "/");
  EXPECT_EQ(parse_webhook("https://example.org?x")->path, "/?x");
}

TEST(ParseWebhook, TakesPlainHttpOnThisMachineOnly) {
  for (const char* good : {"http://127.0.0.1:8000/x", "http://localhost/x", "http://[::1]:80/",
                           "http://127.64.0.2/", "https://10.0.0.1/", "https://[fe80::1]/"}) {
    EXPECT_TRUE(parse_webhook(good)) << good;
  }
  for (const char* bad :
       {"http://example.org/x", "http://10.0.0.1/", "http://127.0.0.1.example.org/",
        "http://localhost.example.org/", "http://127.x.0.1/", "http://[fe80::1]/"}) {
    const auto target = parse_webhook(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_NE(target.error().message().find("needs https://"), std::string::npos);
  }
}

TEST(ParseWebhook, RefusesWhatIsNoAddressAndShowsNothingOfItsPath) {
  for (const std::string& bad : std::vector<std::string>{
           std::string(""), std::string("SECRET"), std::string("ftp://x/SECRET"),
           std::string("https://"), std::string("https:///SECRET"),
           std::string("https://a b/SECRET"), std::string("https://x:0/SECRET"),
           std::string("https://x:70000/SECRET"), std::string("https://x:/SECRET"),
           std::string("https://x:12a/SECRET"), std::string("https://me:SECRET@x/"),
           std::string("https://[::1/SECRET"), std::string("https://[zz]/SECRET"),
           std::string("https://[]/SECRET"), std::string("https://x\r\nHost: y/SECRET"),
           "https://x/" + std::string(3000, 'S')}) {
    const auto target = parse_webhook(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_EQ(target.error().message().find("SECRET"), std::string::npos)
        << target.error().message();
  }
}

}  // namespace
}  // namespace trainyard::jobs
