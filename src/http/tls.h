#pragma once

#include "base/result.h"
#include "http/client.h"
#include "http/server.h"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <optional>
#include <string>

namespace trainyard::http {

using TlsContext = std::unique_ptr<boost::asio::ssl::context>;

/// TLS 1.2 or newer, ALPN http/1.1. With `client_ca_pem` clients are asked for a certificate, which
/// they need not have: see verified_peer().
Result<TlsContext> make_server_tls(const TlsIdentity& identity, const std::string& client_ca_pem);
Result<TlsContext> make_client_tls(const ClientOptions& options);

/// Prepares a client's handshake: the name to send and the name or address to insist on.
Result<> expect_host(SSL* ssl, const std::string& host);

/// After a server's handshake: the client's certificate, when it showed one that its authority has
/// signed, that is meant for clients and that is in date.
std::optional<PeerCertificate> verified_peer(SSL* ssl);

/// The newest error of OpenSSL in words; empties its queue.
std::string openssl_error();

}  // namespace trainyard::http
