#include "http/tls.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

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

}  // namespace

std::string openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  char text[256];
  ERR_error_string_n(code, text, sizeof(text));
  return text;
}

Result<TlsContext> make_server_tls(const TlsIdentity& identity) {
  TRY(TlsContext context, make_context(ssl::context::tls_server));
  TRY_OK(use_identity(*context, identity));
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
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
      context->set_default_verify_paths(failure);
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

}  // namespace trainyard::http
