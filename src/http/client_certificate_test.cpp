#include "http/test_fixture.h"

namespace trainyard::http {
namespace {

using namespace std::chrono_literals;

class ClientCertificateTest : public HttpTest {
 protected:
  void SetUp() override { serve_tls_for_certificates(); }

  /// A request by somebody who shows that certificate; the handler has seen what was made of it.
  Result<Response> ask_with(const Result<TlsIdentity>& identity) {
    EXPECT_TRUE(identity) << identity.error().message();
    ClientOptions options = client_options();
    options.client_certificate_pem = identity->certificate_pem;
    options.client_key_pem = identity->key_pem;
    Client client(io_.get_executor(), options);
    handler_.last_certificate.reset();
    return run(client.request(get("/x")));
  }
};

TEST_F(ClientCertificateTest, TellsWhoShowsOneOfOurAuthority) {
  const auto before = std::chrono::system_clock::now();
  ASSERT_TRUE(ask_with(make_client_certificate(authority_, "ann", {"team-a", "team b"}, 1h)));
  ASSERT_TRUE(handler_.last_certificate);
  EXPECT_EQ(handler_.last_certificate->common_name, "ann");
  EXPECT_EQ(handler_.last_certificate->organizations,
            (std::vector<std::string>{"team-a", "team b"}));
  EXPECT_EQ(handler_.last_certificate->fingerprint.size(), 64U);
  EXPECT_GE(handler_.last_certificate->not_after, before + 59min);
  EXPECT_LE(handler_.last_certificate->not_after, before + 61min);
}

TEST_F(ClientCertificateTest, IsNotDemanded) {
  Client client(io_.get_executor(), client_options());
  ASSERT_TRUE(run(client.request(get("/x"))));
  EXPECT_FALSE(handler_.last_certificate);
}

TEST_F(ClientCertificateTest, OfAnotherAuthorityOfTheSameNameSaysNothing) {
  const Result<TlsIdentity> other = make_authority("test authority");
  ASSERT_TRUE(other);
  ASSERT_TRUE(ask_with(make_client_certificate(*other, "root", {"system:masters"}, 1h)))
      << "the request goes through: it may have a token";
  EXPECT_FALSE(handler_.last_certificate);
}

TEST_F(ClientCertificateTest, ThatHasExpiredSaysNothing) {
  ASSERT_TRUE(ask_with(make_client_certificate(authority_, "ann", {}, -1s)));
  EXPECT_FALSE(handler_.last_certificate);
}

TEST_F(ClientCertificateTest, ThatIsMeantForServersSaysNothing) {
  ASSERT_TRUE(ask_with(make_server_certificate(authority_, {"localhost"})));
  EXPECT_FALSE(handler_.last_certificate);
}

TEST_F(ClientCertificateTest, SignedByAClientAndNotByTheAuthoritySaysNothing) {
  const Result<TlsIdentity> ann = make_client_certificate(authority_, "ann", {}, 1h);
  ASSERT_TRUE(ann);
  Result<TlsIdentity> forged = make_client_certificate(*ann, "root", {"system:masters"}, 1h);
  ASSERT_TRUE(forged);
  forged->certificate_pem += ann->certificate_pem;  // the whole chain, up to the authority
  ASSERT_TRUE(ask_with(forged));
  EXPECT_FALSE(handler_.last_certificate);
}

TEST_F(ClientCertificateTest, BelongsToOneConnectionOnly) {
  ASSERT_TRUE(ask_with(make_client_certificate(authority_, "ann", {}, 1h)));
  ASSERT_TRUE(handler_.last_certificate);
  Client other(io_.get_executor(), client_options());
  ASSERT_TRUE(run(other.request(get("/x"))));
  EXPECT_FALSE(handler_.last_certificate);
}

TEST_F(ClientCertificateTest, IsNotAskedForWithoutAnAuthority) {
  stop();
  serve_tls();
  ASSERT_TRUE(ask_with(make_client_certificate(authority_, "ann", {}, 1h)));
  EXPECT_FALSE(handler_.last_certificate);
}

TEST_F(ClientCertificateTest, WithoutItsKeyIsTheClientsError) {
  const Result<TlsIdentity> ann = make_client_certificate(authority_, "ann", {}, 1h);
  const Result<TlsIdentity> bob = make_client_certificate(authority_, "bob", {}, 1h);
  ASSERT_TRUE(ann && bob);
  EXPECT_TRUE(
      ask_with(TlsIdentity{ann->certificate_pem, bob->key_pem}).failed_with(Code::kInvalid));
  EXPECT_TRUE(ask_with(TlsIdentity{ann->certificate_pem, ""}).failed_with(Code::kInvalid));
}

TEST_F(ClientCertificateTest, RefusesANameThatNoCertificateCanHold) {
  const std::string long_name(65, 'x');
  EXPECT_FALSE(make_client_certificate(authority_, long_name, {}, 1h));
  EXPECT_FALSE(make_client_certificate(authority_, "ann", {long_name}, 1h));
}

TEST(ClientAuthority, ThatIsNoCertificateIsRefusedAtTheStart) {
  boost::asio::io_context io;
  ScriptedHandler handler;
  const Result<TlsIdentity> authority = make_authority("a");
  ASSERT_TRUE(authority);
  ServerOptions options;
  options.tls = *make_server_certificate(*authority, {"localhost"});
  options.client_ca_pem = "not pem";
  SystemClock clock;
  Server server(io.get_executor(), clock, options, handler);
  EXPECT_TRUE(server.listen().failed_with(Code::kInvalid));
}

}  // namespace
}  // namespace trainyard::http
