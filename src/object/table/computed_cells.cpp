#include "object/table/computed_cells.h"

#include "object/table/kind_cells.h"
#include "object/table/pod_cells.h"
#include "object/values/metadata.h"
#include "object/values/quantity.h"
#include "object/values/selector.h"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace trainyard {
namespace {

using Cell = Json (*)(const Json& object, std::string_view argument, WallTime now);

/// Columns write paths as .spec.a; find() wants them without the dot.
std::string_view without_dot(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return path;
}

/// The text at a path, or what stands for nothing.
Json text_or(const Json& object, std::string_view path, const char* nothing) {
  const std::string_view text = string_at(object, without_dot(path));
  return Json(text.empty() ? std::string_view(nothing) : text);
}

/// a=1,b=2 in the order of the names, or <none>.
std::string labels_text(const JsonObject& labels) {
  std::map<std::string, std::string> sorted;
  for (const auto& label : labels) {
    if (label.value().is_string()) sorted[label.key()] = to_string(label.value().get_string());
  }
  std::string text;
  for (const auto& [name, value] : sorted) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  return text.empty() ? "<none>" : text;
}

std::string field_of_each(const JsonArray& array, std::string_view field) {
  std::string text;
  for (const Json& element : array) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", string_at(element, field));
  }
  return text;
}

/// How many entries there are at the paths, which blanks separate.
Json count(const Json& object, std::string_view paths, WallTime) {
  std::size_t sum = 0;
  while (!paths.empty()) {
    const std::size_t blank = std::min(paths.find(' '), paths.size());
    const std::string_view path = without_dot(paths.substr(0, blank));
    sum += object_at(object, path).size() + array_at(object, path).size();
    paths.remove_prefix(std::min(blank + 1, paths.size()));
  }
  return static_cast<std::int64_t>(sum);
}

Json quantity(const Json& object, std::string_view path, WallTime) {
  const Json* amount = find(object, without_dot(path));
  if (amount == nullptr) return nullptr;
  return Json(canonical_quantity(*amount).value_or(to_text(*amount)));
}

Json selector(const Json& object, std::string_view path, WallTime) {
  const Json* found = find(object, without_dot(path));
  const std::string text = found == nullptr ? std::string() : label_selector_text(*found);
  return Json(text.empty() ? "<none>" : text);
}

Json phase(const Json& object, std::string_view, WallTime) {
  return is_being_deleted(object) ? Json("Terminating") : Json(string_at(object, "status.phase"));
}

Json replicas_ready(const Json& object, std::string_view, WallTime) {
  return Json(fmt::format("{}/{}", int_at(object, "status.readyReplicas"),
                          int_at(object, "spec.replicas")));
}

Json volume_claim(const Json& volume, std::string_view, WallTime) {
  if (find(volume, "spec.claimRef") == nullptr) return "";
  return Json(fmt::format("{}/{}", string_at(volume, "spec.claimRef.namespace"),
                          string_at(volume, "spec.claimRef.name")));
}

Json class_name(const Json& storage_class, std::string_view, WallTime) {
  const bool is_default =
      annotation_of(storage_class, "storageclass.kubernetes.io/is-default-class") == "true" ||
      annotation_of(storage_class, "storageclass.beta.kubernetes.io/is-default-class") == "true";
  return Json(std::string(name_of(storage_class)) + (is_default ? " (default)" : ""));
}

Json pod_ip(const Json& pod, std::string_view, WallTime) {
  const JsonArray& ips = array_at(pod, "status.podIPs");
  if (!ips.empty()) return text_or(ips[0], "ip", "<none>");
  return text_or(pod, "status.podIP", "<none>");
}

/// The cells by name. Those of one kind alone begin with its name.
const std::map<std::string_view, Cell>& cells() {
  static const std::map<std::string_view, Cell> kCells{
      {"@none", [](auto& o, auto path, auto) { return text_or(o, path, "<none>"); }},
      {"@unset", [](auto& o, auto path, auto) { return text_or(o, path, "<unset>"); }},
      {"@unknown", [](auto& o, auto path, auto) { return text_or(o, path, "<unknown>"); }},
      {"@zero", [](auto& o, auto path, auto) { return Json(int_at(o, without_dot(path))); }},
      {"@flag", [](auto& o, auto path, auto) { return Json(bool_at(o, without_dot(path))); }},
      {"@count", count},
      {"@quantity", quantity},
      {"@selector", selector},
      {"@phase", phase},
      {"@labels",
       [](auto& o, auto path, auto) { return Json(labels_text(object_at(o, without_dot(path)))); }},
      {"@containers",
       [](auto& o, auto path, auto) {
         return Json(field_of_each(array_at(o, without_dot(path)), "name"));
       }},
      {"@images",
       [](auto& o, auto path, auto) {
         return Json(field_of_each(array_at(o, without_dot(path)), "image"));
       }},
      {"@access-modes",
       [](auto& o, auto path, auto) {
         return Json(access_modes_text(array_at(o, without_dot(path))));
       }},
      {"@replicas-ready", replicas_ready},
      {"@pod-ready", [](auto& o, auto, auto) { return Json(pod_ready_text(o)); }},
      {"@pod-status", [](auto& o, auto, auto) { return Json(pod_status_word(o)); }},
      {"@pod-restarts", [](auto& o, auto, auto now) { return Json(pod_restarts_text(o, now)); }},
      {"@pod-gates", [](auto& o, auto, auto) { return Json(pod_gates_text(o)); }},
      {"@pod-ip", pod_ip},
      {"@node-status", [](auto& o, auto, auto) { return Json(node_status_text(o)); }},
      {"@node-roles", [](auto& o, auto, auto) { return Json(node_roles_text(o)); }},
      {"@node-address", [](auto& o, auto type, auto) { return Json(node_address_text(o, type)); }},
      {"@service-ports", [](auto& o, auto, auto) { return Json(service_ports_text(o)); }},
      {"@service-external", [](auto& o, auto, auto) { return Json(service_external_text(o)); }},
      {"@endpoints", [](auto& o, auto, auto) { return Json(endpoints_text(o)); }},
      {"@slice-ports", [](auto& o, auto, auto) { return Json(slice_ports_text(o)); }},
      {"@slice-endpoints", [](auto& o, auto, auto) { return Json(slice_endpoints_text(o)); }},
      {"@event-object", [](auto& o, auto, auto) { return Json(event_object_text(o)); }},
      {"@event-source", [](auto& o, auto, auto) { return Json(event_source_text(o)); }},
      {"@event-message", [](auto& o, auto, auto) { return Json(event_message_text(o)); }},
      {"@event-first", [](auto& o, auto, auto now) { return Json(event_first_text(o, now)); }},
      {"@event-last", [](auto& o, auto, auto now) { return Json(event_last_text(o, now)); }},
      {"@event-count", [](auto& o, auto, auto) { return Json(event_count(o)); }},
      {"@job-status", [](auto& o, auto, auto) { return Json(job_status_text(o)); }},
      {"@job-completions", [](auto& o, auto, auto) { return Json(job_completions_text(o)); }},
      {"@job-duration", [](auto& o, auto, auto now) { return Json(job_duration_text(o, now)); }},
      {"@quota", [](auto& o, auto part, auto) { return Json(quota_text(o, part)); }},
      {"@volume-claim", volume_claim},
      {"@class-name", class_name},
      {"@role",
       [](auto& o, auto, auto) {
         return Json(
             fmt::format("{}/{}", string_at(o, "roleRef.kind"), string_at(o, "roleRef.name")));
       }},
      {"@subjects", [](auto& o, auto kind, auto) { return Json(subjects_text(o, kind)); }},
      {"@usage", [](auto& o, auto resource, auto) { return Json(usage_text(o, resource)); }},
  };
  return kCells;
}

std::string_view name_in(std::string_view column) {
  return column.substr(0, column.find(' '));
}

}  // namespace

Json computed_cell(std::string_view column, const Json& object, WallTime now) {
  const std::string_view name = name_in(column);
  const auto found = cells().find(name);
  if (found == cells().end()) return nullptr;
  return found->second(object, column.substr(std::min(name.size() + 1, column.size())), now);
}

bool is_computed_cell(std::string_view column) {
  return cells().contains(name_in(column));
}

std::string age_text(std::string_view time, WallTime now) {
  const auto parsed = parse_time(time);
  if (!parsed) return "<unknown>";
  return format_age(std::chrono::duration_cast<std::chrono::seconds>(now - *parsed));
}

}  // namespace trainyard
