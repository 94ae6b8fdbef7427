#pragma once

#include "base/result.h"
#include "http/server.h"

#include <chrono>
#include <string>
#include <vector>

namespace trainyard::http {

/// A new certificate authority of our own: ECDSA P-256, ten years.
Result<TlsIdentity> make_authority(const std::string& common_name);

/// Whether it can sign: both can be read, belong together and have not expired. The error says why
/// not, without naming files.
Result<> check_authority(const TlsIdentity& authority);

/// A server certificate signed by it. `hosts` are names and IP addresses for subjectAltName.
Result<TlsIdentity> make_server_certificate(const TlsIdentity& authority,
                                            const std::vector<std::string>& hosts);

/// A client certificate signed by it: the common name is the user, the organizations are the
/// groups, each up to 64 characters.
Result<TlsIdentity> make_client_certificate(const TlsIdentity& authority, const std::string& user,
                                            const std::vector<std::string>& groups,
                                            std::chrono::seconds lifetime);

}  // namespace trainyard::http
