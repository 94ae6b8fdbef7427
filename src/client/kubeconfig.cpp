#include "client/kubeconfig.h"

#include "base/files.h"
#include "base/ids.h"
#include "object/yaml.h"

#include <fmt/format.h>

namespace trainyard::client {
namespace {

/// The entry of that name in a list such as clusters or users.
const Json* named_entry(const Json& config, std::string_view list, std::string_view name) {
  for (const Json& entry : array_at(config, list)) {
    if (string_at(entry, "name") == name) return &entry;
  }
  return nullptr;
}

/// `certificate-authority-data` in base64, or `certificate-authority` as a file beside the config.
Result<std::string> inline_or_file(const Json& entry, std::string_view field,
                                   const std::filesystem::path& folder) {
  if (const auto data = string_at(entry, std::string(field) + "-data"); !data.empty()) {
    if (auto decoded = base64_decode(data)) return *std::move(decoded);
    return Error(Code::kInvalid, fmt::format("{}-data is not base64", field));
  }
  if (const auto file = string_at(entry, field); !file.empty()) return read_file(folder / file);
  return std::string();
}

Result<Connection> read_connection(const Json& config, const std::filesystem::path& folder) {
  const std::string_view current = string_at(config, "current-context");
  const Json* context = named_entry(config, "contexts", current);
  if (context == nullptr) {
    return Error(Code::kInvalid, fmt::format("current-context '{}' is not in it", current));
  }
  const Json* cluster = named_entry(config, "clusters", string_at(*context, "context.cluster"));
  const Json* user = named_entry(config, "users", string_at(*context, "context.user"));
  if (cluster == nullptr || user == nullptr) {
    return Error(Code::kInvalid,
                 fmt::format("context '{}' names a cluster or user that is not in it", current));
  }
  const Json& cluster_entry = *find(*cluster, "cluster");
  static const Json kNobody = JsonObject();
  const Json* user_found = find(*user, "user");
  const Json& user_entry = user_found == nullptr ? kNobody : *user_found;
  Connection connection;
  connection.ns = string_at(*context, "context.namespace", "default");
  connection.token = string_at(user_entry, "token");
  connection.http.url = string_at(cluster_entry, "server");
  connection.http.insecure_skip_verify = bool_at(cluster_entry, "insecure-skip-tls-verify");
  TRY(connection.http.ca_pem, inline_or_file(cluster_entry, "certificate-authority", folder));
  TRY(connection.http.client_certificate_pem,
      inline_or_file(user_entry, "client-certificate", folder));
  TRY(connection.http.client_key_pem, inline_or_file(user_entry, "client-key", folder));
  return connection;
}

}  // namespace

Result<Connection> load_kubeconfig(const std::filesystem::path& file) {
  TRY(const std::string text, read_file(file));
  auto config = parse_json_or_yaml(text);
  if (!config) return std::move(config).error().within(file.string());
  auto connection = read_connection(*config, file.parent_path());
  if (!connection) return std::move(connection).error().within(file.string());
  return connection;
}

std::string make_kubeconfig(const std::string& server_url, const std::string& ca_pem,
                            const std::string& user, const std::string& token) {
  const Json cluster{{"server", server_url}, {"certificate-authority-data", base64_encode(ca_pem)}};
  const Json context{{"cluster", "trainyard"}, {"user", user}, {"namespace", "default"}};
  return to_yaml(Json{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "trainyard"},
      {"clusters", JsonArray{{{"name", "trainyard"}, {"cluster", cluster}}}},
      {"contexts", JsonArray{{{"name", "trainyard"}, {"context", context}}}},
      {"users", JsonArray{{{"name", user}, {"user", {{"token", token}}}}}},
  });
}

}  // namespace trainyard::client
