#pragma once

#include "base/result.h"
#include "http/client.h"

#include <filesystem>
#include <string>

namespace trainyard::client {

/// Where a cluster is and who we are there: the current context of a kubeconfig file.
struct Connection {
  http::ClientOptions http;
  std::string token;
  std::string ns = "default";
};

Result<Connection> load_kubeconfig(const std::filesystem::path& file);

/// The text of a kubeconfig with one context, `trainyard`, and a bearer token.
std::string make_kubeconfig(const std::string& server_url, const std::string& ca_pem,
                            const std::string& user, const std::string& token);

}  // namespace trainyard::client
