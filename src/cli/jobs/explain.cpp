#include "jobs/explain.h"

#include "cli/command/commands.h"
#include "cli/command/print.h"
#include "cli/start/creation.h"
#include "cli/terminal/text_table.h"
#include "jobs/kinds.h"

#include <fmt/format.h>

namespace trainyard::cli {
namespace {

/// What the job kinds of a file will do; kinds that are no jobs of ours are passed over.
Result<std::vector<std::pair<Json, std::vector<jobs::Outcome>>>> explain_file(
    const std::string& file) {
  TRY(const std::vector<Json> objects, read_objects(file));
  std::vector<std::pair<Json, std::vector<jobs::Outcome>>> explained;
  for (const Json& object : objects) {
    const jobs::JobKind* kind = jobs::find_job_kind(object);
    if (kind == nullptr) continue;
    if (const std::string why = jobs::why_not_explainable(*kind, object); !why.empty()) {
      return Error(Code::kInvalid, fmt::format("{}: {} {}: {}", shown_name(file), kind->name(),
                                               name_of(object), why));
    }
    explained.emplace_back(object, jobs::explain_job(*kind, object));
  }
  if (!explained.empty()) return explained;
  std::string kinds;
  for (const jobs::JobKind* kind : jobs::job_kinds()) {
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", kind->name());
  }
  return Error(Code::kInvalid, fmt::format("{} holds no job of a kind that can be explained: {}",
                                           shown_name(file), kinds));
}

Json as_json(const std::vector<std::pair<Json, std::vector<jobs::Outcome>>>& explained) {
  JsonArray list;
  for (const auto& [job, outcomes] : explained) {
    JsonArray entries;
    for (const jobs::Outcome& outcome : outcomes) entries.push_back(jobs::to_json(outcome));
    list.push_back({{"kind", string_at(job, "kind")},
                    {"name", name_of(job)},
                    {"outcomes", std::move(entries)}});
  }
  return list.size() == 1 ? list.front() : Json(std::move(list));
}

}  // namespace

Result<int> explain(const Flags& flags, const std::string& file) {
  TRY(const auto explained, explain_file(file));
  if (print_value(flags, as_json(explained))) return 0;
  for (const auto& [job, outcomes] : explained) {
    const std::string_view name = string_at(job, "metadata.name");
    fmt::print("{} {}: what happens when …\n\n", string_at(job, "kind"),
               name.empty() ? string_at(job, "metadata.generateName", "without a name") : name);
    std::vector<std::vector<std::string>> rows;
    for (const jobs::Outcome& outcome : outcomes) rows.push_back({outcome.event, outcome.then});
    fmt::print("{}\n", format_table({"WHEN", "THEN"}, rows));
  }
  return 0;
}

}  // namespace trainyard::cli
