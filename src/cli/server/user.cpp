#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "cli/command/commands.h"
#include "cli/command/jobs_view.h"
#include "cli/command/print.h"
#include "cli/terminal/text_table.h"
#include "client/remote/kubeconfig.h"
#include "contract/user_secret.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

const Resource kSecrets{"", "v1", "secrets"};
const Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings"};
const Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings"};
constexpr std::string_view kClusterAdmin = "cluster-admin";

/// On other servers nobody reads the Secrets that we would write.
awaitable<Result<>> check_is_ours(client::RemoteApi& api) {
  CO_TRY(const Json version, co_await api.get_path("/version"));
  if (string_at(version, "gitVersion").find("trainyard") != std::string_view::npos) co_return Ok();
  co_return Error(Code::kUnsupported,
                  "this cluster is not run by trainyard: its people are managed by the cluster");
}

Result<> check_options(const UserOptions& options) {
  if (const std::string problem = contract::check_user_name(options.name); !problem.empty()) {
    return Error(Code::kInvalid, fmt::format("user name {}: {}", options.name, problem));
  }
  for (const std::string& group : options.groups) {
    if (const std::string problem = contract::check_group_name(group); !problem.empty()) {
      return Error(Code::kInvalid, fmt::format("--group {}: {}", group, problem));
    }
  }
  if (!options.kubeconfig_out.empty() && is_there(options.kubeconfig_out)) {
    return Error(Code::kAlreadyExists,
                 fmt::format("{} exists: name another file, or remove it", options.kubeconfig_out));
  }
  return Ok();
}

awaitable<Result<>> check_namespace(client::RemoteApi& api, std::string ns) {
  const Key key{"", ns};
  const auto found = co_await api.get(kNamespaces, key);
  if (found) co_return Ok();
  if (!found.failed_with(Code::kNotFound)) co_return found.error();
  co_return Error(
      Code::kNotFound,
      fmt::format("there is no namespace {}: `kubectl create namespace {}` makes it", ns, ns));
}

Json make_binding(const UserOptions& options, const std::string& ns) {
  const bool everywhere = options.role == kClusterAdmin;
  Json binding{{"apiVersion", "rbac.authorization.k8s.io/v1"},
               {"kind", everywhere ? "ClusterRoleBinding" : "RoleBinding"},
               {"metadata",
                {{"name", contract::user_secret_name(options.name)},
                 {"labels", {{contract::kUserLabel, options.name}}}}},
               {"roleRef",
                {{"apiGroup", "rbac.authorization.k8s.io"},
                 {"kind", "ClusterRole"},
                 {"name", options.role}}},
               {"subjects", JsonArray{{{"apiGroup", "rbac.authorization.k8s.io"},
                                       {"kind", "User"},
                                       {"name", options.name}}}}};
  if (!everywhere) make_path(binding, "metadata.namespace") = ns;
  return binding;
}

/// The Secret first: it is what says that the name is taken. Both or none.
awaitable<Result<>> create_user(client::RemoteApi& api, UserOptions options, std::string ns,
                                std::string token) {
  contract::UserSecret person{options.name, contract::hash_user_token(token), options.groups};
  Json secret = contract::make_user_secret(person);
  const auto created = co_await api.create(kSecrets, contract::kUserNamespace, std::move(secret));
  if (created.failed_with(Code::kAlreadyExists)) {
    co_return Error(
        Code::kAlreadyExists,
        fmt::format("there is a user {} already. For a new token: `trainyard user rm {}`, then add "
                    "again. For another namespace: `kubectl create rolebinding {}-{} -n NAMESPACE "
                    "--clusterrole={} --user={}`",
                    options.name, options.name, options.name, options.role, options.role,
                    options.name));
  }
  if (!created) co_return created.error();
  const bool everywhere = options.role == kClusterAdmin;
  Json binding = make_binding(options, ns);
  const auto bound = co_await api.create(everywhere ? kClusterRoleBindings : kRoleBindings,
                                         everywhere ? "" : ns, std::move(binding));
  if (bound) co_return Ok();
  Key key{contract::kUserNamespace, contract::user_secret_name(options.name)};
  client::DeleteOptions now;
  const auto undone = co_await api.remove(kSecrets, std::move(key), now);
  if (!undone) co_return undone.error();
  co_return bound.error();
}

awaitable<Result<>> add_user(Session& session, const UserOptions& options,
                             const std::string& token) {
  CO_TRY_OK(co_await check_is_ours(session.api()));
  if (options.role != kClusterAdmin) {
    CO_TRY_OK(co_await check_namespace(session.api(), session.ns()));
  }
  co_return co_await create_user(session.api(), options, session.ns(), token);
}

/// A binding of somebody to a role.
struct Grant {
  Resource resource;
  Key key;
  std::string role;
  bool shared = false;  // with other subjects
};

std::string where(const Grant& grant) {
  return grant.key.ns.empty() ? "everywhere" : "in " + grant.key.ns;
}

bool names_user(const Json& binding, const std::string& user) {
  const JsonArray& subjects = array_at(binding, "subjects");
  return std::any_of(subjects.begin(), subjects.end(), [&](const Json& subject) {
    return string_at(subject, "kind") == "User" && string_at(subject, "name") == user;
  });
}

std::vector<Grant> grants_of(const std::string& user, const Resource& resource,
                             const std::vector<ObjectPtr>& bindings) {
  std::vector<Grant> grants;
  for (const ObjectPtr& binding : bindings) {
    const Json& body = binding->body();
    if (!names_user(body, user)) continue;
    grants.push_back({resource, key_of(body), std::string(string_at(body, "roleRef.name")),
                      array_at(body, "subjects").size() > 1});
  }
  return grants;
}

struct Bindings {
  std::vector<ObjectPtr> everywhere;
  std::vector<ObjectPtr> in_namespaces;

  std::vector<Grant> of(const std::string& user) const {
    std::vector<Grant> grants = grants_of(user, kClusterRoleBindings, everywhere);
    for (Grant& grant : grants_of(user, kRoleBindings, in_namespaces)) {
      grants.push_back(std::move(grant));
    }
    return grants;
  }
};

awaitable<Result<Bindings>> list_bindings(client::RemoteApi& api) {
  const client::ListOptions all;
  Bindings bindings;
  CO_TRY(client::Listing everywhere, co_await api.list(kClusterRoleBindings, all));
  CO_TRY(client::Listing in_namespaces, co_await api.list(kRoleBindings, all));
  bindings.everywhere = std::move(everywhere.items);
  bindings.in_namespaces = std::move(in_namespaces.items);
  co_return bindings;
}

struct Person {
  contract::UserSecret secret;
  std::string created;
  std::string age;
  std::vector<Grant> grants;
};

awaitable<Result<std::vector<Person>>> list_people(Session& session) {
  CO_TRY_OK(co_await check_is_ours(session.api()));
  client::ListOptions options;
  options.ns = contract::kUserNamespace;
  options.labels = contract::kUserLabel;
  CO_TRY(const client::Listing secrets, co_await session.api().list(kSecrets, options));
  CO_TRY(const Bindings bindings, co_await list_bindings(session.api()));
  std::vector<Person> people;
  for (const ObjectPtr& secret : secrets.items) {
    auto found = contract::read_user_secret(secret->body());
    if (!found) continue;
    Person person;
    person.secret = *std::move(found);
    person.created = string_at(secret->body(), "metadata.creationTimestamp");
    person.age = age_of(secret->body(), session.clock().wall());
    person.grants = bindings.of(person.secret.name);
    people.push_back(std::move(person));
  }
  co_return people;
}

Json to_json(const Person& person) {
  JsonArray roles;
  for (const Grant& grant : person.grants) {
    JsonObject role{{"role", grant.role}};
    if (!grant.key.ns.empty()) role["namespace"] = grant.key.ns;
    roles.push_back(std::move(role));
  }
  JsonArray groups(person.secret.groups.begin(), person.secret.groups.end());
  return {{"name", person.secret.name},
          {"roles", std::move(roles)},
          {"groups", std::move(groups)},
          {"created", person.created}};
}

std::vector<std::string> to_row(const Person& person) {
  std::string roles;
  for (const Grant& grant : person.grants) {
    roles += fmt::format("{}{} {}", roles.empty() ? "" : ", ", grant.role, where(grant));
  }
  const std::string groups = fmt::format("{}", fmt::join(person.secret.groups, ", "));
  return {person.secret.name, roles.empty() ? "-" : roles, groups.empty() ? "-" : groups,
          person.age};
}

/// Removes the Secret, which ends the access, and then what is left. Returns the bindings that
/// stay because others need them.
awaitable<Result<std::vector<Grant>>> remove_user(client::RemoteApi& api, std::string name) {
  CO_TRY_OK(co_await check_is_ours(api));
  CO_TRY(const Bindings bindings, co_await list_bindings(api));
  const client::DeleteOptions now;
  Key secret{contract::kUserNamespace, contract::user_secret_name(name)};
  const auto removed = co_await api.remove(kSecrets, std::move(secret), now);
  if (removed.failed_with(Code::kNotFound)) {
    co_return Error(Code::kNotFound,
                    fmt::format("there is no user {}: `trainyard user list` shows all", name));
  }
  if (!removed) co_return removed.error();
  std::vector<Grant> left;
  for (const Grant& grant : bindings.of(name)) {
    if (grant.shared) {
      left.push_back(grant);
      continue;
    }
    const auto unbound = co_await api.remove(grant.resource, grant.key, now);
    if (!unbound && !unbound.failed_with(Code::kNotFound)) co_return unbound.error();
  }
  co_return left;
}

}  // namespace

Result<int> user_add(const Flags& flags, const UserOptions& options) {
  TRY_OK(check_options(options));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  const std::string token = contract::make_user_token();
  client::KubeconfigContents contents;
  contents.server_url = session->server().url;
  contents.ca_pem = session->server().ca_pem;
  contents.user = options.name;
  contents.token = token;
  contents.ns = session->ns();
  const std::string kubeconfig = client::make_kubeconfig(contents);
  // Before there is a user: a token that could not be written down would be lost.
  const bool to_file = !options.kubeconfig_out.empty();
  if (to_file) TRY_OK(write_file(options.kubeconfig_out, kubeconfig, 0600));
  if (auto added = session->run(add_user(*session, options, token)); !added) {
    std::error_code ignored;
    if (to_file) std::filesystem::remove(options.kubeconfig_out, ignored);
    return std::move(added).error();
  }
  const std::string reach =
      options.role == kClusterAdmin ? "everywhere" : "in namespace " + session->ns();
  // Without a file standard output is the kubeconfig and nothing else, so that it can be sent to
  // one.
  std::FILE* told = to_file ? stdout : stderr;
  fmt::print(told, "user {} added: {} {}\n", options.name, options.role, reach);
  fmt::print(told, "token {} (shown this once: only its hash is kept)\n", token);
  if (to_file) fmt::print(told, "kubeconfig written to {}\n", options.kubeconfig_out);
  if (!to_file) fmt::print("{}", kubeconfig);
  return 0;
}

Result<int> user_list(const Flags& flags) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const std::vector<Person> people, session->run(list_people(*session)));
  std::vector<std::string> names;
  JsonArray items;
  for (const Person& person : people) {
    names.push_back(person.secret.name);
    items.push_back(to_json(person));
  }
  if (print_names(flags, names) || print_value(flags, items)) return 0;
  if (people.empty()) {
    fmt::print(stderr, "nobody but the administrator; `trainyard user add NAME` lets others in\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Person& person : people) rows.push_back(to_row(person));
  fmt::print("{}", format_table({"NAME", "ROLES", "GROUPS", "AGE"}, rows));
  return 0;
}

Result<int> user_remove(const Flags& flags, const std::string& name) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const std::vector<Grant> left, session->run(remove_user(session->api(), name)));
  fmt::print("user {} removed\n", name);
  for (const Grant& grant : left) {
    fmt::print(stderr, "note: {} {} {} still names {} beside others\n", grant.resource.plural,
               grant.key.name, where(grant), name);
  }
  return 0;
}

}  // namespace trainyard::cli
