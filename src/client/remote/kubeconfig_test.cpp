#include "client/remote/kubeconfig.h"

#include "base/files/files.h"

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
  KubeconfigContents contents;
  contents.server_url = "https://127.0.0.1:6480";
  contents.ca_pem = "PEM\n";
  contents.user = "admin";
  contents.token = "s3cret";
  contents.ns = "team";
  const auto connection = load(make_kubeconfig(contents));
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(connection->http.url, "https://127.0.0.1:6480");
  EXPECT_EQ(connection->http.ca_pem, "PEM\n");
  EXPECT_EQ(connection->token, "s3cret");
  EXPECT_EQ(connection->ns, "team");
}

TEST_F(KubeconfigTest, APodIsItsServiceAccount) {
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_TRUE(load_pod_account(folder_).failed_with(Code::kNotFound));
  ::setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "6480", 1);
  EXPECT_FALSE(load_pod_account(folder_)) << "it has no token";
  ASSERT_TRUE(write_file(folder_ / "token", "t0ken", 0600));
  ASSERT_TRUE(write_file(folder_ / "ca.crt", "PEM", 0600));
  ASSERT_TRUE(write_file(folder_ / "namespace", "vision", 0600));
  const auto connection = load_pod_account(folder_);
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  ::unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(connection->http.url, "https://127.0.0.1:6480");
  EXPECT_EQ(connection->http.ca_pem, "PEM");
  EXPECT_EQ(connection->token, "t0ken");
  EXPECT_EQ(connection->ns, "vision");
}

TEST_F(KubeconfigTest, ATokenIsNotSentWithoutTls) {
  const auto token_for = [this](const std::string& server) {
    KubeconfigContents contents;
    contents.server_url = server;
    contents.user = "admin";
    contents.token = "s3cret";
    const auto connection = load(make_kubeconfig(contents));
    EXPECT_TRUE(connection) << server;
    return connection ? connection->token : "?";
  };
  EXPECT_EQ(token_for("https://h:1"), "s3cret");
  EXPECT_EQ(token_for("http://127.0.0.1:8001"), "");
}

TEST_F(KubeconfigTest, FindsFilesBesideIt) {
  ASSERT_TRUE(write_file(folder_ / "ca.pem", "FROM FILE", 0600));
  ASSERT_TRUE(write_file(folder_ / "key.pem", "KEY", 0600));
  ASSERT_TRUE(write_file(folder_ / "token", "s3cret\n", 0600));
  const auto connection = load(R"(
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, namespace: team}}]
clusters: [{name: c, cluster: {server: "https://h:1", certificate-authority: ca.pem}}]
users: [{name: u, user: {client-certificate-data: Q0VSVA==, client-key: key.pem, tokenFile: token}}]
)");
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(connection->http.ca_pem, "FROM FILE");
  EXPECT_EQ(connection->http.client_certificate_pem, "CERT");
  EXPECT_EQ(connection->http.client_key_pem, "KEY");
  EXPECT_EQ(connection->token, "s3cret");
  EXPECT_EQ(connection->ns, "team");
}

constexpr const char* kTwoContexts = R"(
current-context: laptop
contexts:
- {name: laptop, context: {cluster: near, user: ann}}
- {name: company, context: {cluster: far, user: ann-at-work, namespace: vision}}
clusters:
- {name: near, cluster: {server: "https://127.0.0.1:6480", insecure-skip-tls-verify: true}}
- {name: far, cluster: {server: "https://api.example:6443"}}
users:
- {name: ann, user: {token: near-token}}
- {name: ann-at-work, user: {token: far-token}}
)";

TEST_F(KubeconfigTest, TakesTheCurrentContextOrTheNamedOne) {
  const auto current = load(kTwoContexts);
  ASSERT_TRUE(current) << current.error().message();
  EXPECT_EQ(current->http.url, "https://127.0.0.1:6480");
  EXPECT_EQ(current->token, "near-token");
  EXPECT_EQ(current->ns, "default");
  EXPECT_TRUE(current->http.insecure_skip_verify);
  const auto named = load_kubeconfig(folder_ / "config", "company");
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_EQ(named->http.url, "https://api.example:6443");
  EXPECT_EQ(named->token, "far-token");
  EXPECT_EQ(named->ns, "vision");
  EXPECT_FALSE(named->http.insecure_skip_verify);
  const auto missing = load_kubeconfig(folder_ / "config", "mars");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("no context 'mars'"), std::string::npos);
}

TEST_F(KubeconfigTest, TakesSeveralFilesTogether) {
  std::filesystem::create_directory(folder_ / "b");
  ASSERT_TRUE(write_file(folder_ / "a", kTwoContexts, 0600));
  ASSERT_TRUE(write_file(folder_ / "b/token", "from-file", 0600));
  ASSERT_TRUE(write_file(folder_ / "b/config", R"(
current-context: lab
contexts:
- {name: lab, context: {cluster: lab, user: bob}}
- {name: laptop, context: {cluster: lab, user: bob}}
clusters: [{name: lab, cluster: {server: "https://lab:1"}}]
users: [{name: bob, user: {tokenFile: token}}]
)",
                         0600));
  const std::vector<std::filesystem::path> files{folder_ / "missing", folder_ / "a",
                                                 folder_ / "b/config"};
  const auto current = load_kubeconfigs(files);
  ASSERT_TRUE(current) << current.error().message();
  EXPECT_EQ(current->token, "near-token") << "the first to say it counts";
  const auto lab = load_kubeconfigs(files, "lab");
  ASSERT_TRUE(lab) << lab.error().message();
  EXPECT_EQ(lab->http.url, "https://lab:1");
  EXPECT_EQ(lab->token, "from-file") << "beside the file that names it";
  const auto none = load_kubeconfigs({folder_ / "x", folder_ / "y"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message().find("none of these files"), std::string::npos);
}

/// A config whose user has that entry.
std::string config_with_user(const std::string& user, const std::string& cluster = "server: x") {
  return "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
         "clusters: [{name: c, cluster: {" +
         cluster + "}}]\nusers: [{name: u, user: " + user + "}]\n";
}

TEST_F(KubeconfigTest, RefusesInWordsWhatItCannotDo) {
  struct Case {
    const char* user;
    const char* words;
  };
  for (const Case& refused : {
           Case{"{exec: {command: gcloud}}", "the program 'gcloud' (exec)"},
           Case{"{auth-provider: {name: oidc}}", "the auth-provider 'oidc'"},
           Case{"{username: ann, password: x}", "'username'"},
           Case{"{token: x, as: root}", "'as'"},
           Case{"{client-certificate-data: Q0VSVA==}", "needs its key"},
           Case{"{client-key-data: Q0VSVA==}", "needs its key"},
           Case{"{client-certificate-data: '!!'}", "client-certificate-data is not base64"},
           Case{"{tokenFile: nowhere}", "nowhere"},
       }) {
    const auto connection = load(config_with_user(refused.user));
    ASSERT_FALSE(connection) << refused.user;
    EXPECT_NE(connection.error().message().find(refused.words), std::string::npos)
        << connection.error().message();
  }
}

TEST_F(KubeconfigTest, RefusesToTrustNobodyAndAnAuthorityAtOnce) {
  EXPECT_TRUE(
      load(config_with_user(
               "{token: x}",
               "server: x, insecure-skip-tls-verify: true, certificate-authority-data: QQ=="))
          .failed_with(Code::kInvalid));
}

TEST_F(KubeconfigTest, SaysWhichContextIsMissing) {
  const auto connection = load("current-context: nowhere\n");
  ASSERT_FALSE(connection);
  EXPECT_NE(connection.error().message().find("no context 'nowhere'"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::client
