#include "http/certificate.h"

#include "base/owned.h"
#include "http/tls.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <array>
#include <memory>

namespace trainyard::http {
namespace {

using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Owned<X509, X509_free>;
using Memory = Owned<BIO, BIO_free_all>;
using Number = Owned<BIGNUM, BN_free>;
using Extension = Owned<X509_EXTENSION, X509_EXTENSION_free>;
using Names = Owned<GENERAL_NAMES, GENERAL_NAMES_free>;

constexpr std::chrono::seconds kDay = std::chrono::hours(24);
constexpr std::chrono::seconds kTenYears = 3650 * kDay;

struct Subject {
  std::string common_name;
  std::vector<std::string> organizations;
};

Error failed(const char* doing) {
  return Error(Code::kInternal, std::string("cannot ") + doing + ": " + openssl_error());
}

Result<Key> make_key() {
  Key key(EVP_EC_gen("P-256"));
  if (!key) return failed("make an ECDSA key");
  return key;
}

/// RFC 5280 wants positive and at most 20 bytes; random, because a new authority of the same name
/// must never repeat a serial that a browser remembers.
bool set_random_serial(X509* certificate) {
  const Number serial(BN_new());
  return serial && BN_rand(serial.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_to_subject(X509* certificate, int kind, const std::string& value) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(value.data());
  return X509_NAME_add_entry_by_NID(name, kind, MBSTRING_UTF8, text, static_cast<int>(value.size()),
                                    -1, 0) == 1;
}

bool set_subject(X509* certificate, const Subject& subject) {
  for (const std::string& organization : subject.organizations) {
    if (!add_to_subject(certificate, NID_organizationName, organization)) return false;
  }
  return add_to_subject(certificate, NID_commonName, subject.common_name);
}

bool add_extension(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

GENERAL_NAME* make_name(const std::string& host) {
  std::array<unsigned char, 16> address;
  int address_size = 0;
  if (inet_pton(AF_INET, host.c_str(), address.data()) == 1) address_size = 4;
  if (inet_pton(AF_INET6, host.c_str(), address.data()) == 1) address_size = 16;
  const bool is_address = address_size > 0;
  const void* bytes = is_address ? static_cast<const void*>(address.data()) : host.data();
  const int size = is_address ? address_size : static_cast<int>(host.size());

  Owned<GENERAL_NAME, GENERAL_NAME_free> name(GENERAL_NAME_new());
  ASN1_STRING* text = is_address ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
  if (!name || text == nullptr || ASN1_STRING_set(text, bytes, size) != 1) {
    ASN1_STRING_free(text);
    return nullptr;
  }
  GENERAL_NAME_set0_value(name.get(), is_address ? GEN_IPADD : GEN_DNS, text);
  return name.release();
}

/// Built from values and not as OpenSSL's configuration text, in which a comma in a host name
/// would add a name of the attacker's choice.
bool add_alternative_names(X509* certificate, const std::vector<std::string>& hosts) {
  const Names names(GENERAL_NAMES_new());
  if (!names) return false;
  for (const std::string& host : hosts) {
    GENERAL_NAME* name = make_name(host);
    if (name == nullptr || sk_GENERAL_NAME_push(names.get(), name) == 0) {
      GENERAL_NAME_free(name);
      return false;
    }
  }
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1;
}

Result<Certificate> begin_certificate(const Subject& subject, EVP_PKEY* key,
                                      std::chrono::seconds lifetime) {
  Certificate certificate(X509_new());
  // A day back: the clocks of other machines may be behind ours.
  if (!certificate || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      !set_random_serial(certificate.get()) || !set_subject(certificate.get(), subject) ||
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay.count()) == nullptr ||
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), lifetime.count()) == nullptr ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return failed("make a certificate");
  }
  return certificate;
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Result<TlsIdentity> to_pem(X509* certificate, EVP_PKEY* key) {
  const Memory certificate_text(BIO_new(BIO_s_mem()));
  const Memory key_text(BIO_new(BIO_s_mem()));
  if (!certificate_text || !key_text ||
      PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed("write a certificate as PEM");
  }
  TlsIdentity identity;
  identity.certificate_pem = text_of(certificate_text.get());
  identity.key_pem = text_of(key_text.get());
  return identity;
}

Memory reader_of(const std::string& text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// What an authority signs for others.
struct Order {
  Subject subject;
  const char* usage = nullptr;     // serverAuth or clientAuth
  std::vector<std::string> hosts;  // for subjectAltName
  std::chrono::seconds lifetime = kTenYears;
};

Result<TlsIdentity> issue(const TlsIdentity& authority, const Order& order) {
  const Memory issuer_text = reader_of(authority.certificate_pem);
  const Memory issuer_key_text = reader_of(authority.key_pem);
  const Certificate issuer(PEM_read_bio_X509(issuer_text.get(), nullptr, nullptr, nullptr));
  const Key issuer_key(PEM_read_bio_PrivateKey(issuer_key_text.get(), nullptr, nullptr, nullptr));
  if (!issuer || !issuer_key) {
    return Error(Code::kInvalid, "the certificate authority is not readable: " + openssl_error());
  }
  TRY(const Key key, make_key());
  TRY(const Certificate certificate, begin_certificate(order.subject, key.get(), order.lifetime));
  X509* self = certificate.get();
  if (X509_set_issuer_name(self, X509_get_subject_name(issuer.get())) != 1 ||
      !add_extension(self, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(self, issuer.get(), NID_key_usage, "critical,digitalSignature") ||
      !add_extension(self, issuer.get(), NID_ext_key_usage, order.usage) ||
      !add_extension(self, issuer.get(), NID_subject_key_identifier, "hash") ||
      !add_extension(self, issuer.get(), NID_authority_key_identifier, "keyid:always") ||
      (!order.hosts.empty() && !add_alternative_names(self, order.hosts)) ||
      X509_sign(self, issuer_key.get(), EVP_sha256()) == 0) {
    return failed("make a certificate");
  }
  return to_pem(self, key.get());
}

}  // namespace

Result<TlsIdentity> make_authority(const std::string& common_name) {
  TRY(const Key key, make_key());
  TRY(const Certificate certificate,
      begin_certificate(Subject{common_name, {}}, key.get(), kTenYears));
  X509* self = certificate.get();
  if (X509_set_issuer_name(self, X509_get_subject_name(self)) != 1 ||
      !add_extension(self, self, NID_basic_constraints, "critical,CA:TRUE") ||
      !add_extension(self, self, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign") ||
      !add_extension(self, self, NID_subject_key_identifier, "hash") ||
      X509_sign(self, key.get(), EVP_sha256()) == 0) {
    return failed("make a certificate authority");
  }
  return to_pem(self, key.get());
}

Result<> check_authority(const TlsIdentity& authority) {
  const Memory certificate_text = reader_of(authority.certificate_pem);
  const Memory key_text = reader_of(authority.key_pem);
  // An empty passphrase: without one, OpenSSL would ask the terminal for that of a locked key.
  char nothing[] = "";
  const Certificate certificate(
      PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
  const Key key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nothing));
  const auto refuse = [](const char* why) {
    (void)openssl_error();  // so that nobody takes it for another's
    return Error(Code::kInvalid, why);
  };
  if (!certificate) return refuse("the certificate cannot be read");
  if (!key) return refuse("the key cannot be read");
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return refuse("the key is another certificate's");
  }
  if (X509_check_ca(certificate.get()) == 0) return refuse("the certificate may not sign others");
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) {
    return refuse("the certificate has expired");
  }
  return Ok();
}

Result<TlsIdentity> make_server_certificate(const TlsIdentity& authority,
                                            const std::vector<std::string>& hosts) {
  Order order;
  order.subject.common_name = "trainyard";
  order.usage = "serverAuth";
  order.hosts = hosts;
  return issue(authority, order);
}

Result<TlsIdentity> make_client_certificate(const TlsIdentity& authority, const std::string& user,
                                            const std::vector<std::string>& groups,
                                            std::chrono::seconds lifetime) {
  Order order;
  order.subject = Subject{user, groups};
  order.usage = "clientAuth";
  order.lifetime = lifetime;
  return issue(authority, order);
}

}  // namespace trainyard::http
