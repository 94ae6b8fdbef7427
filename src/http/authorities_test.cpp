#include "http/authorities.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "http/certificate.h"
#include "http/test_fixture.h"

#include <gtest/gtest.h>

namespace trainyard::http {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  ASSERT_TRUE(write_file(file, text, 0600));
}

TEST(Authorities, AreFoundOnEachFamilyOfSystems) {
  for (const char* file : {"etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt",
                           "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem"}) {
    const TestFolder system;
    write(system.path() / file, "");
    Authorities known;
    known.root = system.path();
    known.built_in = system.path() / "usr/lib/ssl/certs";
    EXPECT_EQ(authorities_file(known), system.path() / file);
    EXPECT_EQ(where_authorities_are(known), system.path() / file);
  }
}

TEST(Authorities, WhatTheEnvironmentSaysComesFirstThenTheBuiltInFolder) {
  const TestFolder system;
  write(system.path() / "etc/ssl/cert.pem", "");
  write(system.path() / "built-in/one.pem", "");
  Authorities known;
  known.root = system.path();
  known.built_in = system.path() / "built-in";
  EXPECT_EQ(authorities_file(known), fs::path());
  EXPECT_EQ(where_authorities_are(known), known.built_in);
  known.env_folder = "/some/folder";
  EXPECT_EQ(where_authorities_are(known), "/some/folder");
  known.env_file = "/some/file";
  EXPECT_EQ(authorities_file(known), "/some/file");
}

class SystemAuthoritiesTest : public HttpTest {
 protected:
  ~SystemAuthoritiesTest() override { ::unsetenv("SSL_CERT_FILE"); }

  Result<Response> ask(const fs::path& authorities) {
    ::setenv("SSL_CERT_FILE", authorities.c_str(), 1);
    ClientOptions options = client_options();
    options.ca_pem.clear();
    Client client(io_.get_executor(), options);
    return run(client.request(get("/x")));
  }

  TestFolder folder_;
};

TEST_F(SystemAuthoritiesTest, AreThoseOfTheEnvironmentsFile) {
  serve_tls();
  write(folder_.path() / "ours.pem", authority_.certificate_pem);
  const Result<Response> answer = ask(folder_.path() / "ours.pem");
  EXPECT_TRUE(answer) << answer.error().message();
}

TEST_F(SystemAuthoritiesTest, AreNamedWhenTheyDoNotHaveTheOne) {
  serve_tls();
  const Result<TlsIdentity> other = make_authority("other");
  ASSERT_TRUE(other);
  const fs::path file = folder_.path() / "others.pem";
  write(file, other->certificate_pem);
  const Result<Response> answer = ask(file);
  ASSERT_TRUE(answer.failed_with(Code::kUnavailable));
  EXPECT_NE(answer.error().message().find("authorities: " + file.string()), std::string::npos)
      << answer.error().message();
}

TEST_F(SystemAuthoritiesTest, AFileThatIsNotThereIsAnError) {
  serve_tls();
  const Result<Response> answer = ask(folder_.path() / "missing.pem");
  ASSERT_TRUE(answer.failed_with(Code::kInvalid));
  EXPECT_NE(answer.error().message().find("missing.pem (SSL_CERT_FILE)"), std::string::npos)
      << answer.error().message();
}

}  // namespace
}  // namespace trainyard::http
