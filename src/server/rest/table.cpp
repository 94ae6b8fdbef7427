// Who answers what: the one list of all that is served of resources and below them. Access, the
// metrics of requests and discovery read it, too; rights are in access/default_roles.yaml, which a
// test compares. A new subresource is a rest_*.cpp with its handler and a row here.
#include "server/rest/table.h"

#include "contract/log_sources.h"

#include <algorithm>

namespace trainyard::server {
namespace {

// ---- of which resources ----------------------------------------------------------------------

bool is_any(const Resource&) {
  return true;
}
bool is_measured(const Resource& resource) {
  return resource.group == "metrics.k8s.io";
}
bool is_usage(const Resource& resource) {
  return resource == contract::kPodUsages;
}
bool is_stored(const Resource& resource) {
  return !is_measured(resource) && !is_usage(resource) && !Reviews::answers(resource);
}
bool is_pod(const Resource& resource) {
  return resource == kPods;
}
bool is_claim(const Resource& resource) {
  return resource == kVolumeClaims;
}
bool is_namespace(const Resource& resource) {
  return resource == kNamespaces;
}
bool is_account(const Resource& resource) {
  return resource == kServiceAccounts;
}

// ---- of which kinds --------------------------------------------------------------------------

bool has_status(const Kind& kind) {
  return kind.has_status;
}
bool has_scale(const Kind& kind) {
  return kind.scale.has_value();
}

// ---- asked in which way ----------------------------------------------------------------------

/// Ours: the pods of a namespace that are gone, and whose logs can still be read.
bool wants_kept(const Route& route, const http::Query& query) {
  return !route.key.ns.empty() && query.flag("kept");
}
/// Ours as well: how far the trainings in pods have come.
bool wants_progress(const Route&, const http::Query& query) {
  return query.flag("progress");
}
bool wants_content(const Route&, const http::Query& query) {
  return query.flag("content");
}

constexpr Speaks kItself{};
constexpr Speaks kScale{"autoscaling", "v1", "Scale"};
constexpr Speaks kBinding{"", "v1", "Binding"};
constexpr Speaks kEviction{"policy", "v1", "Eviction"};
constexpr Speaks kTokenRequest{"authentication.k8s.io", "v1", "TokenRequest"};

// ---- what several rows say, or would be too long in one --------------------------------------

constexpr RowDetails kStatus{.having = has_status, .part = Part::kStatus, .told = &kItself};
constexpr RowDetails kFinalize{.part = Part::kFinalize, .told = &kItself};
constexpr RowDetails kFile{.wire = Wire::kFile, .told = &kItself};
constexpr RowDetails kFileContent{.asked = wants_content, .wire = Wire::kFile, .told = &kItself};
constexpr RowDetails kCurves{.told = &kItself, .as_its_object = true};

// Discovery tells subresources in this order.
constexpr RestRow kRows[] = {
    {is_pod, "", "list", handle_kept_logs, {.asked = wants_kept}},
    {is_pod, "", "list", handle_progress, {.asked = wants_progress}},
    {is_measured, "", "get", handle_get_metrics},
    {is_measured, "", "list", handle_list_metrics},
    {is_usage, "", "get list", handle_usage},
    {Reviews::answers, "", "create", handle_review},
    {is_stored, "", "get", handle_get},
    {is_stored, "", "list", handle_list},
    {is_stored, "", "watch", handle_watch},
    {is_stored, "", "create", handle_create},
    {is_stored, "", "update", handle_update},
    {is_stored, "", "patch", handle_patch},
    {is_stored, "", "delete", handle_delete},
    {is_stored, "", "deletecollection", handle_delete_collection},

    {is_any, "status", "get", handle_get, kStatus},
    {is_any, "status", "update", handle_update, kStatus},
    {is_any, "status", "patch", handle_patch, kStatus},

    {is_any, "scale", "get", handle_get_scale, {.having = has_scale, .told = &kScale}},
    {is_any, "scale", "update patch", handle_write_scale, {.having = has_scale, .told = &kScale}},
    {is_any, "scale", "create delete", handle_not_served, {.having = has_scale}},

    {is_pod, "binding", "create", handle_binding, {.told = &kBinding}},
    {is_pod, "eviction", "create", handle_eviction, {.told = &kEviction}},
    {is_pod, "log", "get", handle_log, {.wire = Wire::kStream, .told = &kItself}},
    {is_pod, "stacks", "get", handle_stacks, {.told = &kItself}},
    {is_pod, "exec", "", handle_session, {.wire = Wire::kSession}},
    {is_pod, "attach", "", handle_session, {.wire = Wire::kSession}},
    {is_pod, "portforward", "", handle_port_forward, {.wire = Wire::kSession}},
    {is_pod, "ephemeralcontainers", "", handle_ephemeral_containers},

    {is_claim, "files", "get", handle_send_file, kFileContent},
    {is_claim, "files", "get", handle_look_at_file, kFile},
    {is_claim, "files", "update", handle_receive_file, kFile},
    {is_claim, "files", "create", handle_make_file, kFile},
    {is_claim, "files", "patch", handle_rename_file, kFile},
    {is_claim, "files", "delete", handle_remove_file, kFile},

    {contract::may_have_logs, client::kCurves, "get", handle_curves, kCurves},

    {is_namespace, "finalize", "get", handle_get},
    {is_namespace, "finalize", "update", handle_update, kFinalize},
    {is_namespace, "finalize", "patch", handle_patch, {.part = Part::kFinalize}},

    {is_account, "token", "create", handle_token, {.told = &kTokenRequest}},
};

/// The words of a text, one after the other.
template <class Each>
void each_word(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool serves(const RestRow& row, std::string_view verb) {
  bool found = row.verbs.empty();
  each_word(row.verbs, [&](std::string_view word) { found = found || word == verb; });
  return found;
}

bool belongs_to(const RestRow& row, const Kind& kind) {
  return row.of(kind.resource) && (row.details.having == nullptr || row.details.having(kind));
}

/// In the words of discovery.
Resource type_of(const Speaks& speaks, const Kind& kind) {
  if (speaks.kind.empty()) return {kind.resource.group, kind.resource.version, kind.kind};
  return {std::string(speaks.group), std::string(speaks.version), std::string(speaks.kind)};
}

}  // namespace

std::span<const RestRow> rest_rows() {
  return kRows;
}

const RestRow* find_row(const Kind& kind, const Route& route, std::string_view verb,
                        const http::Query& query) {
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const RestRow& row) {
        return row.below == route.subresource && serves(row, verb) && belongs_to(row, kind) &&
               (row.details.asked == nullptr || row.details.asked(route, query));
      });
  return found == std::end(kRows) ? nullptr : found;
}

const RestRow* find_subresource(const Resource& resource, std::string_view below) {
  if (below.empty()) return nullptr;
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const RestRow& row) { return row.below == below && row.of(resource); });
  return found == std::end(kRows) ? nullptr : found;
}

const RestRow* find_subresource(std::string_view below) {
  if (below.empty()) return nullptr;
  const auto* const found = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const RestRow& row) { return row.below == below; });
  return found == std::end(kRows) ? nullptr : found;
}

std::vector<Subresource> told_subresources(const Kind& kind) {
  std::vector<Subresource> told;
  for (const RestRow& row : kRows) {
    if (row.details.told == nullptr || !belongs_to(row, kind)) continue;
    if (told.empty() || told.back().name != row.below) {
      told.push_back({std::string(row.below), type_of(*row.details.told, kind), {}});
    }
    std::vector<std::string>& verbs = told.back().verbs;
    each_word(row.verbs, [&](std::string_view verb) { verbs.emplace_back(verb); });
    std::sort(verbs.begin(), verbs.end());
    verbs.erase(std::unique(verbs.begin(), verbs.end()), verbs.end());
  }
  return told;
}

}  // namespace trainyard::server
