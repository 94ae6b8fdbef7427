#include "cli/arena/views/data_view.h"

#include "cli/arena/elastic_table.h"
#include "cli/arena/views/span_text.h"

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

/// In one order whatever the claim's, each once.
std::string access_modes(const Json& claim) {
  const JsonArray& modes = array_at(claim, "spec.accessModes");
  std::string text;
  for (const char* mode : {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"}) {
    if (std::find(modes.begin(), modes.end(), Json(mode)) == modes.end()) continue;
    text += (text.empty() ? "" : ",") + std::string(mode);
  }
  return text;
}

}  // namespace

std::string data_table(const std::vector<ObjectPtr>& claims, WallTime now, bool namespaces) {
  ElasticTable table;
  const auto add = [&](std::vector<std::string> row, const std::string& ns) {
    if (namespaces) row.insert(row.begin() + 1, ns);
    table.row(std::move(row));
  };
  add({"NAME", "ACCESSMODE", "DESCRIPTION", "OWNER", "AGE"}, "NAMESPACE");
  for (const ObjectPtr& claim : claims) {
    const Json& body = claim->body();
    if (string_at(body, "status.phase") != "Bound" || is_being_deleted(body)) continue;
    const auto made = parse_time(string_at(body, "metadata.creationTimestamp"));
    add({std::string(name_of(body)), access_modes(body),
         std::string(annotation_of(body, "description")), std::string(annotation_of(body, "owner")),
         made ? span_text(now - *made) : "<unknown>"},
        std::string(namespace_of(body)));
  }
  return table.text();
}

}  // namespace trainyard::cli::arena
