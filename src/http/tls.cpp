#include "http/tls.h"

#include "base/crypto/ids.h"
#include "base/owned.h"
#include "http/authorities.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <string_view>

namespace trainyard::http {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

namespace {

// As ALPN writes it: one byte of length before each name.
constexpr unsigned char kAlpn[] = "\x08http/1.1";
constexpr unsigned kAlpnSize = sizeof(kAlpn) - 1;

int choose_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void* /*unused*/) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kAlpn, kAlpnSize, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;  // clients that name only others may still speak HTTP/1.1
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Result<TlsContext> make_context(ssl::context::method method) {
  try {
    return std::make_unique<ssl::context>(method);
  } catch (const boost::system::system_error& error) {
    return Error(Code::kInternal, std::string("cannot set up TLS: ") + error.what());
  }
}

Result<> use_identity(ssl::context& context, const TlsIdentity& identity) {
  boost::system::error_code failure;
  context.use_certificate_chain(asio::buffer(identity.certificate_pem), failure);
  if (failure) return Error(Code::kInvalid, "TLS certificate: " + failure.message());
  context.use_private_key(asio::buffer(identity.key_pem), ssl::context::pem, failure);
  if (failure) return Error(Code::kInvalid, "TLS key: " + failure.message());
  if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
    return Error(Code::kInvalid, "TLS key does not belong to the certificate: " + openssl_error());
  }
  return Ok();
}

/// Lets the handshake go on: whoever shows a certificate that is not good may still have a token,
/// and else is told so in words (401), which a broken handshake cannot do. What the certificate is
/// worth is found out by verified_peer() and nobody else.
int accept_any(int /*verified*/, X509_STORE_CTX* /*unused*/) {
  return 1;
}

Result<> ask_for_certificate(ssl::context& context, const std::string& authority_pem) {
  boost::system::error_code failure;
  context.add_certificate_authority(asio::buffer(authority_pem), failure);
  if (failure) return Error(Code::kInvalid, "client CA certificate: " + failure.message());
  const Owned<BIO, BIO_free_all> text(
      BIO_new_mem_buf(authority_pem.data(), static_cast<int>(authority_pem.size())));
  const Owned<X509, X509_free> authority(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  SSL_CTX* native = context.native_handle();
  // The name is a hint by which clients choose among their certificates.
  if (!authority || SSL_CTX_add_client_CA(native, authority.get()) != 1) {
    return Error(Code::kInvalid, "client CA certificate: " + openssl_error());
  }
  // Without it OpenSSL refuses to resume sessions of clients that it may ask for a certificate.
  static constexpr unsigned char kSessions[] = "trainyard";
  SSL_CTX_set_session_id_context(native, kSessions, sizeof(kSessions) - 1);
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER, accept_any);
  // Or OpenSSL would send that authority to every client, as part of our own chain.
  SSL_CTX_set_mode(native, SSL_MODE_NO_AUTO_CHAIN);
  return Ok();
}

bool is_good_for_a_client(SSL* ssl, X509* certificate) {
  const Owned<X509_STORE_CTX, X509_STORE_CTX_free> check(X509_STORE_CTX_new());
  X509_STORE* authorities = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
  const bool good = check &&
                    X509_STORE_CTX_init(check.get(), authorities, certificate,
                                        SSL_get_peer_cert_chain(ssl)) == 1 &&
                    X509_STORE_CTX_set_purpose(check.get(), X509_PURPOSE_SSL_CLIENT) == 1 &&
                    X509_verify_cert(check.get()) == 1 &&
                    X509_STORE_CTX_get_error(check.get()) == X509_V_OK;
  ERR_clear_error();  // what is left here would be taken for an error of the connection
  return good;
}

/// All values of one kind in the subject, in order.
std::vector<std::string> subject_values(X509* certificate, int kind) {
  std::vector<std::string> values;
  X509_NAME* name = X509_get_subject_name(certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, kind, at)) >= 0;) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    // With its length and not as a C string: a zero byte must not cut "root\0.mallory" short.
    if (size >= 0)
      values.emplace_back(reinterpret_cast<char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

std::string fingerprint_of(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate, &bytes);
  if (size < 0) return {};
  std::string digest = sha256_hex({reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size)});
  OPENSSL_free(bytes);
  return digest;
}

}  // namespace

std::string openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  char text[256];
  ERR_error_string_n(code, text, sizeof(text));
  return text;
}

Result<TlsContext> make_server_tls(const TlsIdentity& identity, const std::string& client_ca_pem) {
  TRY(TlsContext context, make_context(ssl::context::tls_server));
  TRY_OK(use_identity(*context, identity));
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  if (!client_ca_pem.empty()) TRY_OK(ask_for_certificate(*context, client_ca_pem));
  return context;
}

Result<TlsContext> make_client_tls(const ClientOptions& options) {
  TRY(TlsContext context, make_context(ssl::context::tls_client));
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_alpn_protos(native, kAlpn, kAlpnSize);
  boost::system::error_code failure;
  if (options.insecure_skip_verify) {
    context->set_verify_mode(ssl::verify_none, failure);
  } else {
    context->set_verify_mode(ssl::verify_peer, failure);
    if (options.ca_pem.empty()) {
      TRY_OK(trust_the_system(native, Authorities::of_this_process()));
    } else {
      context->add_certificate_authority(asio::buffer(options.ca_pem), failure);
    }
    if (failure) return Error(Code::kInvalid, "CA certificate: " + failure.message());
  }
  if (!options.client_certificate_pem.empty()) {
    const TlsIdentity identity{options.client_certificate_pem, options.client_key_pem};
    TRY_OK(use_identity(*context, identity));
  }
  return context;
}

Result<> expect_host(SSL* ssl, const std::string& host) {
  boost::system::error_code not_an_address;
  asio::ip::make_address(host, not_an_address);
  X509_VERIFY_PARAM* rules = SSL_get0_param(ssl);
  bool good = false;
  if (!not_an_address) {
    good = X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1;
  } else {
    X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    good = X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) == 1 &&
           SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    const_cast<char*>(host.c_str())) == 1;
  }
  if (!good) return Error(Code::kInvalid, host + " is no valid host: " + openssl_error());
  return Ok();
}

std::optional<PeerCertificate> verified_peer(SSL* ssl) {
  if (ssl == nullptr) return std::nullopt;
  const Owned<X509, X509_free> shown(SSL_get1_peer_certificate(ssl));
  if (!shown || !is_good_for_a_client(ssl, shown.get())) return std::nullopt;
  PeerCertificate peer;
  const std::vector<std::string> names = subject_values(shown.get(), NID_commonName);
  std::tm end{};
  if (names.empty() || names.back().empty() ||
      ASN1_TIME_to_tm(X509_get0_notAfter(shown.get()), &end) != 1) {
    return std::nullopt;
  }
  peer.common_name = names.back();
  peer.organizations = subject_values(shown.get(), NID_organizationName);
  peer.fingerprint = fingerprint_of(shown.get());
  peer.not_after = std::chrono::system_clock::from_time_t(timegm(&end));
  return peer;
}

}  // namespace trainyard::http
