#include "client/remote/kubeconfig.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <cstdlib>

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

/// The content of the entry of that name, `cluster` of `clusters` say.
Result<const Json*> entry_of(const Json& config, const std::string& what, std::string_view name) {
  const Json* entry = named_entry(config, what + "s", name);
  const Json* content = entry == nullptr ? nullptr : find(*entry, what);
  if (content != nullptr && content->is_object()) return content;
  return Error(Code::kInvalid, fmt::format("there is no {} '{}' in it", what, name));
}

/// What a user's entry asks for and we cannot do.
Result<> refuse_unknown_logins(const Json& user, std::string_view name) {
  if (const Json* exec = find(user, "exec"); exec != nullptr && exec->is_object()) {
    return Error(Code::kUnsupported,
                 fmt::format("user '{}' logs in through the program '{}' (exec), which trainyard "
                             "does not run: use a kubeconfig with a token or a client certificate",
                             name, string_at(*exec, "command")));
  }
  if (const Json* provider = find(user, "auth-provider");
      provider != nullptr && provider->is_object()) {
    return Error(Code::kUnsupported,
                 fmt::format("user '{}' logs in through the auth-provider '{}', which trainyard "
                             "does not have: use a kubeconfig with a token or a client certificate",
                             name, string_at(*provider, "name")));
  }
  for (const char* field : {"username", "as"}) {
    if (string_at(user, field).empty()) continue;
    return Error(Code::kUnsupported, fmt::format("user '{}' has '{}', which trainyard does not "
                                                 "support: use a token or a client certificate",
                                                 name, field));
  }
  return Ok();
}

Result<std::string> token_of(const Json& user, const std::filesystem::path& folder) {
  // As kubectl: the file wins, since what writes it keeps it fresh.
  const std::string_view file = string_at(user, "tokenFile");
  if (file.empty()) return std::string(string_at(user, "token"));
  TRY(std::string token, read_file(folder / file));
  while (token.ends_with('\n') || token.ends_with('\r') || token.ends_with(' ')) token.pop_back();
  return token;
}

Result<> read_user(const Json& user, const std::filesystem::path& folder, Connection& connection) {
  TRY(connection.token, token_of(user, folder));
  TRY(connection.http.client_certificate_pem, inline_or_file(user, "client-certificate", folder));
  TRY(connection.http.client_key_pem, inline_or_file(user, "client-key", folder));
  if (connection.http.client_certificate_pem.empty() != connection.http.client_key_pem.empty()) {
    return Error(Code::kInvalid, "a client certificate needs its key, and a key its certificate");
  }
  return Ok();
}

Result<> read_cluster(const Json& cluster, const std::filesystem::path& folder,
                      Connection& connection) {
  connection.http.url = string_at(cluster, "server");
  connection.http.insecure_skip_verify = bool_at(cluster, "insecure-skip-tls-verify");
  TRY(connection.http.ca_pem, inline_or_file(cluster, "certificate-authority", folder));
  if (connection.http.insecure_skip_verify && !connection.http.ca_pem.empty()) {
    return Error(Code::kInvalid,
                 "insecure-skip-tls-verify and certificate-authority exclude each other");
  }
  return Ok();
}

Result<Connection> read_connection(const Json& config, const std::string& wanted,
                                   const std::filesystem::path& folder) {
  const std::string name =
      wanted.empty() ? std::string(string_at(config, "current-context")) : wanted;
  if (name.empty()) {
    return Error(Code::kInvalid, "it has no current-context: name one with --context");
  }
  TRY(const Json* context, entry_of(config, "context", name));
  Connection connection;
  connection.ns = string_at(*context, "namespace", "default");
  if (connection.ns.empty()) connection.ns = "default";
  TRY(const Json* cluster, entry_of(config, "cluster", string_at(*context, "cluster")));
  TRY_OK(read_cluster(*cluster, folder, connection));
  const std::string_view user_name = string_at(*context, "user");
  if (user_name.empty()) return connection;  // a proxy in front may know who we are
  const Json* entry = named_entry(config, "users", user_name);
  if (entry == nullptr) {
    return Error(Code::kInvalid, fmt::format("there is no user '{}' in it", user_name));
  }
  if (const Json* user = find(*entry, "user"); user != nullptr && user->is_object()) {
    TRY_OK(refuse_unknown_logins(*user, user_name));
    TRY_OK(read_user(*user, folder, connection));
  }
  // As kubectl: whoever listens on the way would keep it.
  if (!connection.http.url.starts_with("https://")) connection.token.clear();
  return connection;
}

Result<Json> read_config(const std::filesystem::path& file) {
  TRY(const std::string text, read_file(file));
  auto config = parse_json_or_yaml(text);
  if (!config) return std::move(config).error().within(file.string());
  return config;
}

/// Files are named from the folder of the config that names them, which is lost in a merge.
void make_absolute(Json& content, const std::filesystem::path& folder) {
  if (!content.is_object()) return;
  for (const char* field :
       {"certificate-authority", "client-certificate", "client-key", "tokenFile"}) {
    const std::string path(string_at(content, field));
    if (!path.empty()) content.get_object()[field] = (folder / path).string();
  }
}

/// Adds what the config says and those before it did not.
void merge_config(Json& merged, Json config, const std::filesystem::path& folder) {
  for (const std::string what : {"cluster", "context", "user"}) {
    for (Json entry : array_at(config, what + "s")) {
      if (named_entry(merged, what + "s", string_at(entry, "name")) != nullptr) continue;
      if (Json* content = find(entry, what)) make_absolute(*content, folder);
      Json& list = make_path(merged, what + "s");
      if (!list.is_array()) list = JsonArray();
      list.get_array().push_back(std::move(entry));
    }
  }
  if (string_at(merged, "current-context").empty()) {
    make_path(merged, "current-context") = string_at(config, "current-context");
  }
}

}  // namespace

Result<Connection> load_kubeconfigs(const std::vector<std::filesystem::path>& files,
                                    const std::string& context) {
  if (files.size() == 1) return load_kubeconfig(files.front(), context);
  Json merged = JsonObject();
  std::string names;
  bool found = false;
  for (const std::filesystem::path& file : files) {
    names += (names.empty() ? "" : ":") + file.string();
    std::error_code missing;
    if (!std::filesystem::exists(file, missing)) continue;
    TRY(Json config, read_config(file));
    merge_config(merged, std::move(config), from_root(file).parent_path());
    found = true;
  }
  if (!found) return Error(Code::kNotFound, names + ": none of these files exists");
  auto connection = read_connection(merged, context, {});
  if (!connection) return std::move(connection).error().within(names);
  return connection;
}

Result<Connection> load_kubeconfig(const std::filesystem::path& file, const std::string& context) {
  TRY(const Json config, read_config(file));
  auto connection = read_connection(config, context, file.parent_path());
  if (!connection) return std::move(connection).error().within(file.string());
  return connection;
}

Result<Connection> load_pod_account(const std::filesystem::path& account) {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) return Error(Code::kNotFound, "this is not a pod");
  Connection connection;
  const bool six = std::string_view(host).find(':') != std::string_view::npos;
  connection.http.url =
      six ? fmt::format("https://[{}]:{}", host, port) : fmt::format("https://{}:{}", host, port);
  TRY(connection.token, read_file(account / "token"));
  TRY(connection.http.ca_pem, read_file(account / "ca.crt"));
  if (auto ns = read_file(account / "namespace")) connection.ns = *std::move(ns);
  return connection;
}

std::string make_kubeconfig(const KubeconfigContents& contents) {
  JsonObject cluster{{"server", contents.server_url}};
  if (!contents.ca_pem.empty()) {
    cluster["certificate-authority-data"] = base64_encode(contents.ca_pem);
  }
  const Json context{{"cluster", "trainyard"}, {"user", contents.user}, {"namespace", contents.ns}};
  const Json user{{"token", contents.token}};
  return to_yaml(Json{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "trainyard"},
      {"clusters", JsonArray{{{"name", "trainyard"}, {"cluster", std::move(cluster)}}}},
      {"contexts", JsonArray{{{"name", "trainyard"}, {"context", context}}}},
      {"users", JsonArray{{{"name", contents.user}, {"user", user}}}},
  });
}

}  // namespace trainyard::client
