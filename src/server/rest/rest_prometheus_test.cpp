#include "server/test_server.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

class PrometheusTest : public ServerTest {
 protected:
  std::string metrics() {
    const auto answer = call("GET", "/metrics");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.find("Content-Type").value_or(""),
              "text/plain; version=0.0.4; charset=utf-8");
    return answer.body;
  }
  /// The value of a sample; nothing when there is none.
  static std::string value_in(const std::string& text, const std::string& sample) {
    const std::size_t found = text.find("\n" + sample + " ");
    if (found == std::string::npos) return "";
    const std::size_t begin = found + sample.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  }
};

TEST_F(PrometheusTest, CountsRequestsAsKubernetesDoes) {
  (void)call("GET", "/api/v1/namespaces/default/pods/none");
  (void)call("GET", "/api/v1/namespaces/default/pods/none-either");
  (void)call("GET", "/api/v1/pods");
  const std::string text = metrics();
  const auto total = [&](const char* verb, const char* scope, int code) {
    return value_in(text,
                    fmt::format("apiserver_request_total{{verb=\"{}\",group=\"\",version=\"v1\""
                                ",resource=\"pods\",subresource=\"\",scope=\"{}\",code=\"{}\"}}",
                                verb, scope, code));
  };
  EXPECT_EQ(total("GET", "resource", 404), "2") << text;
  EXPECT_EQ(total("LIST", "cluster", 200), "1") << text;
  EXPECT_EQ(value_in(text,
                     "apiserver_request_duration_seconds_count{verb=\"GET\",group=\"\","
                     "version=\"v1\",resource=\"pods\",subresource=\"\",scope=\"resource\"}"),
            "2");
  EXPECT_EQ(value_in(text, "apiserver_storage_objects{resource=\"namespaces\"}"), "1");
}

TEST_F(PrometheusTest, WhatIsMadeUpGetsNoLabelsOfItsOwn) {
  (void)call("GET", "/apis/made.up/v1/things/x");
  (void)call("GET", "/apis/made.up/v1/other-things/x");
  (void)call("BREW", "/coffee");
  const std::string text = metrics();
  EXPECT_EQ(text.find("made.up"), std::string::npos);
  EXPECT_EQ(text.find("BREW"), std::string::npos);
  EXPECT_EQ(text.find("coffee"), std::string::npos);
}

TEST_F(PrometheusTest, TellsOfTheProcessAndWhatOthersAdd) {
  handler_.set_more_metrics([](monitor::MetricsText& more) {
    more.one("more", monitor::MetricsText::Type::kGauge, "m", 7);
  });
  const std::string text = metrics();
  EXPECT_NE(value_in(text, "process_resident_memory_bytes"), "");
  EXPECT_EQ(value_in(text, "more"), "7");
  EXPECT_NE(value_in(text, "trainyard_store_commits_total"), "");
}

TEST_F(PrometheusTest, OnlyForWhomARoleAllowsIt) {
  const auto nobody = call("GET", "/metrics", "", {{"Authorization", "Bearer wrong"}});
  EXPECT_EQ(nobody.status, 401);
  const auto other = call("GET", "/metrics", "", {{"Impersonate-User", "eve"}});
  EXPECT_EQ(other.status, 403);
  EXPECT_NE(other.body.find("cannot get path \\\"/metrics\\\""), std::string::npos) << other.body;
}

TEST_F(PrometheusTest, IsOnlyRead) {
  EXPECT_EQ(call("POST", "/metrics", "{}").status, 405);
}

}  // namespace
}  // namespace trainyard::server
