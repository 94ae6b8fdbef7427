#pragma once

#include "base/result.h"
#include "http/server.h"

#include <string>
#include <vector>

namespace trainyard::http {

/// A new certificate authority of our own: ECDSA P-256, ten years.
Result<TlsIdentity> make_authority(const std::string& common_name);

/// A server certificate signed by it. `hosts` are names and IP addresses for subjectAltName.
Result<TlsIdentity> make_server_certificate(const TlsIdentity& authority,
                                            const std::vector<std::string>& hosts);

}  // namespace trainyard::http
