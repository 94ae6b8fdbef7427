#include "server/access/token_signer.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "server/test_store.h"

#include <sys/stat.h>

namespace trainyard::server {
namespace {

using namespace std::chrono_literals;

constexpr const char* kAccount = R"(
kind: ServiceAccount
metadata: {name: trainer, namespace: team, uid: u-1}
---
kind: Pod
metadata: {name: worker, namespace: team, uid: p-1}
)";

class TokenSignerTest : public StoreTest {
 protected:
  TokenSignerTest() : signer_(*TokenSigner::make()) {
    put_yaml(kAccount);
    claims_.ns = "team";
    claims_.account = {"trainer", "u-1"};
    claims_.pod = {"worker", "p-1"};
    claims_.audiences = {"a", "b"};
    claims_.id = "id-1";
    claims_.issued = clock_.wall();
    claims_.expires = clock_.wall() + 1h;
  }

  std::string issue() {
    auto token = signer_.issue(claims_);
    EXPECT_TRUE(token);
    return *std::move(token);
  }
  /// Why the token is refused; empty when it is good.
  std::string refusal(const std::string& token) {
    const auto claims = signer_.verify(token, clock_.wall());
    if (!claims) return claims.error().message();
    const auto alive = check_references(*claims, *store_, clock_.wall());
    return alive ? "" : alive.error().message();
  }

  TokenSigner signer_;
  TokenClaims claims_;
};

TEST_F(TokenSignerTest, ReadsWhatItIssues) {
  const auto claims = signer_.verify(issue(), clock_.wall());
  ASSERT_TRUE(claims) << claims.error().message();
  EXPECT_EQ(claims->ns, "team");
  EXPECT_EQ(claims->account.name, "trainer");
  EXPECT_EQ(claims->account.uid, "u-1");
  EXPECT_EQ(claims->pod->name, "worker");
  EXPECT_EQ(claims->pod->uid, "p-1");
  EXPECT_FALSE(claims->secret);
  EXPECT_EQ(claims->audiences, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(claims->id, "id-1");
  EXPECT_EQ(claims->expires, clock_.wall() + 1h);
}

TEST_F(TokenSignerTest, ATokenHasItsTime) {
  const std::string token = issue();
  EXPECT_EQ(refusal(token), "");
  clock_.advance(3599s);
  EXPECT_EQ(refusal(token), "");
  clock_.advance(1s);
  EXPECT_EQ(refusal(token), "the token has expired");
  clock_.set_wall(claims_.issued - 1h);
  EXPECT_EQ(refusal(token), "the token is not valid yet");
}

TEST_F(TokenSignerTest, ATokenOfAnotherSignerIsNotOurs) {
  const auto other = TokenSigner::make();
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->verify(issue(), clock_.wall()).failed_with(Code::kUnauthorized));
}

TEST_F(TokenSignerTest, ATokenEndsWithItsAccount) {
  const std::string token = issue();
  remove("serviceaccounts", {"team", "trainer"});
  EXPECT_EQ(refusal(token), "the token belongs to serviceaccounts team/trainer, which is gone");
  put_yaml("{kind: ServiceAccount, metadata: {name: trainer, namespace: team, uid: u-2}}");
  EXPECT_NE(refusal(token), "") << "another account of the same name";
}

TEST_F(TokenSignerTest, ATokenEndsWithThePodThatItIsBoundTo) {
  const std::string token = issue();
  put_yaml("{kind: Pod, metadata: {name: worker, namespace: team, uid: p-2}}");
  EXPECT_NE(refusal(token), "");
  remove("pods", {"team", "worker"});
  EXPECT_NE(refusal(token), "");
  claims_.pod.reset();
  EXPECT_EQ(refusal(issue()), "") << "one that is not bound goes on";
}

TEST_F(TokenSignerTest, ATokenEndsWithTheSecretThatItIsBoundTo) {
  claims_.pod.reset();
  claims_.secret = {"key", "s-1"};
  const std::string token = issue();
  EXPECT_NE(refusal(token), "");
  put_yaml("{kind: Secret, metadata: {name: key, namespace: team, uid: s-1}}");
  EXPECT_EQ(refusal(token), "");
}

TEST_F(TokenSignerTest, APodThatIsEndingMaySayGoodbye) {
  const std::string token = issue();
  Json pod{{"kind", "Pod"},
           {"metadata",
            {{"name", "worker"},
             {"namespace", "team"},
             {"uid", "p-1"},
             {"deletionTimestamp", format_time(clock_.wall() + 30s)}}}};
  put(pod);
  clock_.advance(80s);
  EXPECT_EQ(refusal(token), "");
  clock_.advance(11s);
  EXPECT_NE(refusal(token), "");
}

TEST_F(TokenSignerTest, MakesItsKeyOnceForItsOwnerOnly) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "sa.key";
  const auto first = TokenSigner::open(file);
  ASSERT_TRUE(first) << first.error().message();
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const auto token = first->issue(claims_);
  ASSERT_TRUE(token);
  const auto second = TokenSigner::open(file);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->verify(*token, clock_.wall())) << "a restart ends no token";
}

TEST_F(TokenSignerTest, NamesAKeyFileThatIsBroken) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "sa.key";
  ASSERT_TRUE(write_file(file, "half a key", 0600));
  const auto signer = TokenSigner::open(file);
  ASSERT_FALSE(signer);
  EXPECT_NE(signer.error().message().find("sa.key"), std::string::npos);
}

/// Signed by the right key, and still not a token of ours: what an older or newer version may have
/// written.
TEST(TokenClaims, AreReadStrictly) {
  const TestFolder folder;
  auto key = JwtKey::generate();
  ASSERT_TRUE(key);
  ASSERT_TRUE(write_file(folder.path() / "sa.key", *key->to_pem(), 0600));
  const auto signer = TokenSigner::open(folder.path() / "sa.key");
  ASSERT_TRUE(signer);
  const WallTime now{std::chrono::seconds(1'000'000)};
  const Json good{
      {"aud", {"x"}},
      {"exp", 1'000'100},
      {"iat", 999'999},
      {"nbf", 999'999},
      {"iss", kTokenIssuer},
      {"jti", "j"},
      {"sub", "system:serviceaccount:ns:sa"},
      {"kubernetes.io", {{"namespace", "ns"}, {"serviceaccount", {{"name", "sa"}, {"uid", "u"}}}}}};
  ASSERT_TRUE(signer->verify(*key->sign(good), now));
  const auto refused = [&](std::string_view field, const Json& value) {
    Json changed = good;
    changed.get_object()[field] = value;
    return signer->verify(*key->sign(changed), now).failed_with(Code::kUnauthorized);
  };
  EXPECT_TRUE(refused("iss", "https://elsewhere"));
  EXPECT_TRUE(refused("sub", "system:serviceaccount:ns:other"));
  EXPECT_TRUE(refused("sub", "admin"));
  EXPECT_TRUE(refused("aud", JsonArray()));
  EXPECT_TRUE(refused("aud", JsonArray{1}));
  EXPECT_TRUE(refused("exp", "1000100"));
  EXPECT_TRUE(refused("exp", -1));
  EXPECT_TRUE(refused("exp", INT64_MAX));
  EXPECT_TRUE(refused("exp", nullptr));
  EXPECT_TRUE(refused("nbf", nullptr));
  EXPECT_TRUE(refused("iat", 1.5));
  EXPECT_TRUE(refused("kubernetes.io", nullptr));
  EXPECT_TRUE(refused("kubernetes.io", {{"namespace", "ns"}}));
  EXPECT_TRUE(
      refused("kubernetes.io", {{"namespace", "ns"}, {"serviceaccount", {{"name", "sa"}}}}));
}

}  // namespace
}  // namespace trainyard::server
