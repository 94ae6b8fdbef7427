// What of all requests is written down, and as what.
#include "server/test_server.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

class RestAuditTest : public ServerTest {
 protected:
  RestAuditTest() {
    handler_.set_audit(
        [this](contract::AuditEntry entry) { entries_.push_back(std::move(entry)); });
  }
  http::Response ask(const User& user, const std::string& method, const std::string& target,
                     const std::string& body = "", std::vector<Header> headers = {}) {
    FakeWriter writer;
    http::Request request = make_request(method, target, body, std::move(headers));
    request.peer = "127.0.0.1:4711";
    loop_.run(handler_.handle_as(user, std::move(request), writer));
    return writer.response;
  }

  std::vector<contract::AuditEntry> entries_;
};

const std::string kMaps = "/api/v1/namespaces/default/configmaps";

TEST_F(RestAuditTest, AChangeIsWrittenDownWithTheIdOfItsAnswer) {
  const http::Response made =
      ask(admin_user(), "POST", kMaps, to_text(make_config_map("settings")));
  ASSERT_EQ(made.status, 201) << made.body;
  ASSERT_EQ(entries_.size(), 1U);
  const contract::AuditEntry& entry = entries_[0];
  EXPECT_EQ(entry.user, "admin");
  EXPECT_EQ(entry.as, "");
  EXPECT_EQ(entry.verb, "create");
  EXPECT_EQ(entry.resource, "configmaps");
  EXPECT_EQ(entry.ns, "default");
  EXPECT_EQ(entry.name, "settings") << "which the path does not say";
  EXPECT_EQ(entry.code, 201);
  EXPECT_EQ(entry.source, "127.0.0.1:4711");
  EXPECT_EQ(made.headers.find("Audit-Id"), entry.id);
}

TEST_F(RestAuditTest, LooksAreNotAndRefusalsAre) {
  EXPECT_EQ(ask(admin_user(), "GET", kMaps).status, 200);
  EXPECT_TRUE(entries_.empty());
  User ann;
  ann.name = "ann";
  EXPECT_EQ(ask(ann, "GET", kMaps + "/x").status, 403);
  ASSERT_EQ(entries_.size(), 1U);
  EXPECT_EQ(entries_[0].user, "ann");
  EXPECT_EQ(entries_[0].name, "x");
  EXPECT_EQ(entries_[0].code, 403);
  FakeWriter writer;
  http::Request stranger = make_request("GET", kMaps, "", {});
  stranger.headers = {};
  loop_.run(handler_.handle(std::move(stranger), writer));
  ASSERT_EQ(writer.response.status, 401);
  ASSERT_EQ(entries_.size(), 2U);
  EXPECT_EQ(entries_[1].user, "");
  EXPECT_EQ(entries_[1].code, 401);
}

TEST_F(RestAuditTest, WhoActsAsSomebodyElseIsNamed) {
  call("DELETE", kMaps + "/x", "", {{"Impersonate-User", "ann\",\"user\":\"bob"}});
  ASSERT_EQ(entries_.size(), 1U);
  EXPECT_EQ(entries_[0].user, "admin");
  EXPECT_EQ(entries_[0].as, "ann\",\"user\":\"bob");
  EXPECT_EQ(entries_[0].code, 403);
}

TEST_F(RestAuditTest, SecretsAreWrittenDownWithoutWhatTheyHold) {
  const Json secret{{"metadata", {{"name", "key"}}}, {"stringData", {{"a", "hush-hush"}}}};
  ask(admin_user(), "POST", "/api/v1/namespaces/default/secrets", to_text(secret));
  ask(admin_user(), "GET", "/api/v1/namespaces/default/secrets/key");
  ASSERT_EQ(entries_.size(), 2U);
  EXPECT_EQ(entries_[1].verb, "get");
  for (const auto& entry : entries_) {
    EXPECT_EQ(to_line(entry).find("hush"), std::string::npos);
  }
}

}  // namespace
}  // namespace trainyard::server
