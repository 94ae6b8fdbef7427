#pragma once

#include "base/result.h"

#include <openssl/ssl.h>

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::http {

/// What the environment and the system say of the authorities that sign certificates.
struct Authorities {
  std::string env_file;            // SSL_CERT_FILE; empty: not set
  std::string env_folder;          // SSL_CERT_DIR
  std::filesystem::path built_in;  // the folder that OpenSSL was built to look into
  std::filesystem::path root = "/";

  static Authorities of_this_process();
};

/// The file where this family of systems keeps all of them in one; empty when there is none, or
/// when the environment or the built-in folder say where to look.
std::filesystem::path authorities_file(const Authorities& known);

/// Lets `context` trust whom the system trusts. SSL_CERT_FILE and SSL_CERT_DIR count, as everywhere
/// with OpenSSL; one that cannot be read is an error.
Result<> trust_the_system(SSL_CTX* context, const Authorities& known);

/// Where was looked, for who has to mend it.
std::string where_authorities_are(const Authorities& known);

}  // namespace trainyard::http
