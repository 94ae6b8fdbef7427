#include "base/files/folder_entries.h"
#include "cli/command/commands.h"
#include "cli/command/jobs_view.h"
#include "cli/command/print.h"
#include "cli/terminal/text_table.h"
#include "client/claim_folder.h"

#include <fmt/format.h>

namespace trainyard::cli {
namespace {

using client::kPathAnnotation;
using client::kReadOnlyAnnotation;

Result<Json> make_claim(const DataOptions& options) {
  Json claim{{"apiVersion", "v1"},
             {"kind", "PersistentVolumeClaim"},
             {"metadata", {{"name", options.name}}},
             {"spec",
              {{"accessModes", {options.read_only ? "ReadOnlyMany" : "ReadWriteMany"}},
               {"resources", {{"requests", {{"storage", options.size}}}}}}}};
  JsonObject annotations;
  if (!options.path.empty()) {
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::canonical(options.path, failed);
    if (failed || !is_folder(folder)) {
      return Error(Code::kInvalid, fmt::format("--path {}: there is no such folder", options.path));
    }
    annotations[kPathAnnotation] = folder.string();
  }
  if (options.read_only) annotations[kReadOnlyAnnotation] = "true";
  if (!annotations.empty()) make_path(claim, "metadata.annotations") = std::move(annotations);
  return claim;
}

/// Sets or removes the annotations by which a volume is found.
Json annotation_patch(const Json& claim) {
  JsonObject annotations;
  for (const char* name : {kPathAnnotation, kReadOnlyAnnotation}) {
    const std::string_view value = annotation_of(claim, name);
    annotations[name] = value.empty() ? Json(nullptr) : Json(value);
  }
  return {{"metadata", {{"annotations", std::move(annotations)}}}};
}

awaitable<Result<ObjectPtr>> wait_bound(Session& session, Key key) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 100; ++i) {
    CO_TRY(const ObjectPtr claim, co_await session.api().get(kVolumeClaims, key));
    if (string_at(claim->body(), "status.phase") == "Bound") co_return claim;
    co_await session.clock().sleep_for(20ms);
  }
  co_return Error(Code::kTimeout, fmt::format("{} is not bound yet: `kubectl describe pvc {}` says "
                                              "why",
                                              key.name, key.name));
}

}  // namespace

Result<int> data_create(const Flags& flags, const DataOptions& options) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(Json claim, make_claim(options));
  Json annotations = annotation_patch(claim);
  const Key key{session->ns(), options.name};
  auto created = session->run(session->api().create(kVolumeClaims, key.ns, std::move(claim)));
  if (created.failed_with(Code::kAlreadyExists) && options.replace) {
    created = session->run(session->api().patch(kVolumeClaims, key, client::PatchType::kMerge,
                                                std::move(annotations), ""));
    if (!created) return std::move(created).error();
    return 0;
  }
  if (created.failed_with(Code::kAlreadyExists)) {
    return Error(Code::kAlreadyExists,
                 fmt::format("there is a volume {} already: choose another name, or add --replace",
                             options.name));
  }
  if (!created) return std::move(created).error();
  TRY_OK(session->run(wait_bound(*session, key)));
  fmt::print("volume {} created\n", options.name);
  return 0;
}

Result<int> data_list(const Flags& flags) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  client::ListOptions options;
  options.ns = flags.all_namespaces ? "" : session->ns();
  TRY(const client::Listing claims, session->run(session->api().list(kVolumeClaims, options)));
  if (print_objects(flags, claims.items)) return 0;
  if (claims.items.empty()) {
    fmt::print(stderr, "no volumes; `trainyard data create NAME` makes one\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const ObjectPtr& claim : claims.items) {
    const Json& body = claim->body();
    const std::string_view path = annotation_of(body, kPathAnnotation);
    std::vector<std::string> row{std::string(name_of(body))};
    if (flags.all_namespaces) row.emplace_back(namespace_of(body));
    row.insert(row.end(),
               {std::string(string_at(body, "status.phase", "Pending")),
                annotation_of(body, kReadOnlyAnnotation) == "true" ? "read only" : "read, write",
                path.empty() ? "(data folder)" : std::string(path),
                age_of(body, session->clock().wall())});
    rows.push_back(std::move(row));
  }
  std::vector<std::string> heading{"NAME"};
  if (flags.all_namespaces) heading.emplace_back("NAMESPACE");
  heading.insert(heading.end(), {"STATUS", "ACCESS", "FOLDER", "AGE"});
  fmt::print("{}", format_table(heading, rows));
  return 0;
}

}  // namespace trainyard::cli
