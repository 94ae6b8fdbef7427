#include "server/wire/pod_channels.h"

#include "object/json/json.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

TEST(ChooseSubprotocol, TakesTheNewestThatBothSpeak) {
  EXPECT_EQ(choose_subprotocol("v5.channel.k8s.io"), "v5.channel.k8s.io");
  EXPECT_EQ(choose_subprotocol("v5.channel.k8s.io, v5.channel.trainyard.dev"), kCountedProtocol);
  EXPECT_EQ(choose_subprotocol("v4.channel.k8s.io,v5.channel.k8s.io"), "v5.channel.k8s.io");
  EXPECT_EQ(choose_subprotocol("channel.k8s.io, v4.channel.k8s.io"), "v4.channel.k8s.io");
  EXPECT_EQ(choose_subprotocol("channel.k8s.io"), std::nullopt);
  EXPECT_EQ(choose_subprotocol("v5.channel.k8s.io.evil"), std::nullopt);
  EXPECT_EQ(choose_subprotocol(""), std::nullopt);
}

TEST(ChannelMessage, BeginsWithItsChannel) {
  EXPECT_EQ(channel_message(Channel::kStderr, "no"), "\2no");
  EXPECT_EQ(channel_message(Channel::kStdout, ""), "\1");
}

TEST(ParseTaken, ReadsNumbersOnly) {
  EXPECT_EQ(parse_taken("65536"), 65536U);
  for (const char* none : {"", "x", "12 ", "-1", "99999999999999999999999"}) {
    EXPECT_EQ(parse_taken(none), 0U) << none;
  }
}

TEST(ParseSize, ReadsWhatKubectlSends) {
  const auto size = parse_size(R"({"Width":120,"Height":40})");
  ASSERT_TRUE(size);
  EXPECT_EQ(size->width, 120);
  EXPECT_EQ(size->height, 40);
  for (const char* wrong :
       {"", "{", R"({"Width":-1,"Height":2})", R"({"Width":1,"Height":70000})"}) {
    EXPECT_FALSE(parse_size(wrong)) << wrong;
  }
}

TEST(EndStatus, CarriesTheExitCodeWhereKubectlLooksForIt) {
  const auto success = parse_json(end_status({0, ""}));
  ASSERT_TRUE(success);
  EXPECT_EQ(string_at(*success, "status"), "Success");
  const auto failure = parse_json(end_status({7, ""}));
  ASSERT_TRUE(failure);
  EXPECT_EQ(string_at(*failure, "status"), "Failure");
  EXPECT_EQ(string_at(*failure, "reason"), "NonZeroExitCode");
  const Json& cause = array_at(*failure, "details.causes").at(0);
  EXPECT_EQ(string_at(cause, "reason"), "ExitCode");
  EXPECT_EQ(string_at(cause, "message"), "7");
}

}  // namespace
}  // namespace trainyard::server
