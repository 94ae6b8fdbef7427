#pragma once

#include "base/result.h"
#include "http/client.h"

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::client {

/// Where a cluster is and who we are there: one context of a kubeconfig file.
struct Connection {
  http::ClientOptions http;
  std::string token;
  std::string ns = "default";
};

/// The current context, or the one that is named. Ways to log in that would need another program
/// to be run, or that we do not have, are refused in words: silently leaving them out would lead
/// to "Unauthorized", or to more rights than were meant.
Result<Connection> load_kubeconfig(const std::filesystem::path& file,
                                   const std::string& context = "");

/// The same of several files taken together, as in KUBECONFIG=a:b: of what two of them say, the
/// first counts. Those that do not exist are passed over, unless none does.
Result<Connection> load_kubeconfigs(const std::vector<std::filesystem::path>& files,
                                    const std::string& context = "");

/// Who a pod is at the cluster that it runs in: the address in its environment, and the token,
/// authority and namespace in its service account's files. kNotFound outside of a pod. The token is
/// read once: a program that runs for long must ask again.
Result<Connection> load_pod_account(
    const std::filesystem::path& account = "/var/run/secrets/kubernetes.io/serviceaccount");

/// What a new kubeconfig says.
struct KubeconfigContents {
  std::string server_url;
  std::string ca_pem;  // empty: the system's authorities
  std::string user;
  std::string token;
  std::string ns = "default";
};

/// The text of a kubeconfig with one context, `trainyard`, and a bearer token.
std::string make_kubeconfig(const KubeconfigContents& contents);

}  // namespace trainyard::client
