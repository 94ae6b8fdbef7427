#pragma once

#include "base/result.h"
#include "http/client.h"
#include "http/server.h"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace trainyard::http {

using TlsContext = std::unique_ptr<boost::asio::ssl::context>;

/// TLS 1.2 or newer, ALPN http/1.1.
Result<TlsContext> make_server_tls(const TlsIdentity& identity);
Result<TlsContext> make_client_tls(const ClientOptions& options);

/// Prepares a client's handshake: the name to send and the name or address to insist on.
Result<> expect_host(SSL* ssl, const std::string& host);

/// The newest error of OpenSSL in words; empties its queue.
std::string openssl_error();

}  // namespace trainyard::http
