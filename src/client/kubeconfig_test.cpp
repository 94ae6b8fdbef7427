#include "client/kubeconfig.h"

#include "base/files.h"

#include <gtest/gtest.h>

namespace trainyard::client {
namespace {

class KubeconfigTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/trainyard-kubeconfig-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Result<Connection> load(const std::string& text) {
    EXPECT_TRUE(write_file(folder_ / "config", text, 0600));
    return load_kubeconfig(folder_ / "config");
  }
  std::filesystem::path folder_;
};

TEST_F(KubeconfigTest, ReadsWhatItWrites) {
  const auto connection =
      load(make_kubeconfig("https://127.0.0.1:6480", "PEM\n", "admin", "s3cret"));
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(connection->http.url, "https://127.0.0.1:6480");
  EXPECT_EQ(connection->http.ca_pem, "PEM\n");
  EXPECT_EQ(connection->token, "s3cret");
  EXPECT_EQ(connection->ns, "default");
}

TEST_F(KubeconfigTest, FindsFilesBesideIt) {
  ASSERT_TRUE(write_file(folder_ / "ca.pem", "FROM FILE", 0600));
  const auto connection = load(R"(
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, namespace: team}}]
clusters: [{name: c, cluster: {server: "https://h:1", certificate-authority: ca.pem}}]
users: [{name: u, user: {client-certificate-data: Q0VSVA==}}]
)");
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(connection->http.ca_pem, "FROM FILE");
  EXPECT_EQ(connection->http.client_certificate_pem, "CERT");
  EXPECT_EQ(connection->ns, "team");
}

TEST_F(KubeconfigTest, SaysWhichContextIsMissing) {
  const auto connection = load("current-context: nowhere\n");
  ASSERT_FALSE(connection);
  EXPECT_NE(connection.error().message().find("current-context 'nowhere'"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::client
