#include "http/authorities.h"

#include "http/tls.h"

#include <fmt/format.h>
#include <openssl/x509.h>

#include <cstdlib>

namespace trainyard::http {

namespace fs = std::filesystem;

namespace {

/// In the order of how many machines have them.
constexpr const char* kFiles[] = {
    "etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Alpine
    "etc/pki/tls/certs/ca-bundle.crt",                   // RHEL, Fedora
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, newer
    "etc/ssl/ca-bundle.pem",                             // SUSE
    "var/lib/ca-certificates/ca-bundle.pem",             // SUSE, without links
    "etc/ssl/cert.pem",                                  // Alpine, and others
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Authorities Authorities::of_this_process() {
  return {variable(X509_get_default_cert_file_env()), variable(X509_get_default_cert_dir_env()),
          X509_get_default_cert_dir()};
}

fs::path authorities_file(const Authorities& known) {
  std::error_code ignored;
  if (!known.env_file.empty()) return known.env_file;
  if (!known.env_folder.empty()) return {};
  if (fs::is_directory(known.built_in, ignored) && !fs::is_empty(known.built_in, ignored))
    return {};
  for (const char* file : kFiles) {
    if (fs::is_regular_file(known.root / file, ignored)) return known.root / file;
  }
  return {};
}

Result<> trust_the_system(SSL_CTX* context, const Authorities& known) {
  const fs::path file = authorities_file(known);
  if (!file.empty() && SSL_CTX_load_verify_file(context, file.c_str()) != 1) {
    return Error(Code::kInvalid,
                 fmt::format("cannot read CA certificates from {}{}: {}", file.string(),
                             known.env_file.empty() ? "" : " (SSL_CERT_FILE)", openssl_error()));
  }
  // A folder is read when a certificate is looked for in it.
  const fs::path folder = known.env_folder.empty() ? known.built_in : fs::path(known.env_folder);
  if (SSL_CTX_load_verify_dir(context, folder.c_str()) != 1) {
    return Error(Code::kInvalid, fmt::format("cannot look for CA certificates in {}: {}",
                                             folder.string(), openssl_error()));
  }
  return Ok();
}

std::string where_authorities_are(const Authorities& known) {
  const fs::path file = authorities_file(known);
  if (!file.empty()) return file;
  return known.env_folder.empty() ? known.built_in.string() : known.env_folder;
}

}  // namespace trainyard::http
