#include "http/certificate.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <memory>

namespace trainyard::http {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate read_certificate(const std::string& pem) {
  BIO* memory = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Certificate certificate(PEM_read_bio_X509(memory, nullptr, nullptr, nullptr), X509_free);
  BIO_free_all(memory);
  return certificate;
}

/// X509_V_OK, or why `leaf` is not good for a server under `authority`. Strict, as newer Pythons.
int verify(X509* authority, X509* leaf) {
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, authority);
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf, nullptr);
  X509_STORE_CTX_set_flags(context, X509_V_FLAG_X509_STRICT);
  X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER);
  X509_verify_cert(context);
  const int verdict = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return verdict;
}

TEST(Certificate, IsSignedByItsAuthorityAndNamesItsHosts) {
  const Result<TlsIdentity> authority = make_authority("trainyard");
  ASSERT_TRUE(authority) << authority.error().message();
  const Result<TlsIdentity> identity =
      make_server_certificate(*authority, {"yard.example", "127.0.0.1", "::1", "*.yard.example"});
  ASSERT_TRUE(identity) << identity.error().message();
  const Certificate root = read_certificate(authority->certificate_pem);
  const Certificate leaf = read_certificate(identity->certificate_pem);
  ASSERT_TRUE(root && leaf);
  EXPECT_STREQ(X509_verify_cert_error_string(verify(root.get(), leaf.get())), "ok");
  EXPECT_EQ(X509_check_ca(root.get()), 1);
  EXPECT_EQ(X509_check_ca(leaf.get()), 0);
  EXPECT_EQ(X509_check_host(leaf.get(), "yard.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "api.yard.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "other.example", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.2", 0), 0);
}

TEST(Certificate, IsNotTrustedUnderAnotherAuthorityOfTheSameName) {
  const Result<TlsIdentity> mine = make_authority("trainyard");
  const Result<TlsIdentity> other = make_authority("trainyard");
  ASSERT_TRUE(mine && other);
  const Result<TlsIdentity> identity = make_server_certificate(*mine, {"localhost"});
  ASSERT_TRUE(identity);
  EXPECT_NE(verify(read_certificate(other->certificate_pem).get(),
                   read_certificate(identity->certificate_pem).get()),
            X509_V_OK);
}

TEST(Certificate, HasASerialOfItsOwn) {
  const Result<TlsIdentity> authority = make_authority("trainyard");
  ASSERT_TRUE(authority);
  const Result<TlsIdentity> a = make_server_certificate(*authority, {"h"});
  const Result<TlsIdentity> b = make_server_certificate(*authority, {"h"});
  ASSERT_TRUE(a && b);
  const Certificate first = read_certificate(a->certificate_pem);
  const Certificate second = read_certificate(b->certificate_pem);
  EXPECT_NE(
      ASN1_INTEGER_cmp(X509_get0_serialNumber(first.get()), X509_get0_serialNumber(second.get())),
      0);
  EXPECT_EQ(ASN1_STRING_type(X509_get0_serialNumber(first.get())), V_ASN1_INTEGER) << "negative";
}

TEST(Certificate, RefusesAnAuthorityThatIsNone) {
  const TlsIdentity nonsense{"not", "pem"};
  EXPECT_TRUE(make_server_certificate(nonsense, {"h"}).failed_with(Code::kInvalid));
}

TEST(Certificate, TellsAnAuthorityThatCannotSign) {
  const auto authority = make_authority("one");
  const auto other = make_authority("other");
  ASSERT_TRUE(authority && other);
  EXPECT_TRUE(check_authority(*authority));
  const auto refused = [](const std::string& certificate, const std::string& key) {
    const auto checked = check_authority({certificate, key});
    return checked ? std::string() : checked.error().message();
  };
  EXPECT_EQ(refused("", authority->key_pem), "the certificate cannot be read");
  EXPECT_EQ(refused(authority->certificate_pem, "garbled"), "the key cannot be read");
  EXPECT_EQ(refused(authority->certificate_pem, other->key_pem),
            "the key is another certificate's");
  const auto server = make_server_certificate(*authority, {"h"});
  EXPECT_EQ(refused(server->certificate_pem, server->key_pem),
            "the certificate may not sign others");
}

}  // namespace
}  // namespace trainyard::http
