#include "object/values/selector.h"
#include "server/rules/kind_rules.h"
#include "server/rules/pod_spec.h"

#include <charconv>
#include <optional>

namespace trainyard::server {
namespace {

const Json kNothing;

const Json& part(const Json& object, std::string_view path) {
  const Json* found = find(object, path);
  return found == nullptr ? kNothing : *found;
}

/// The selector, and that the template's pods are among what it selects: else a controller would
/// make pods for ever without ever seeing one of its own.
void check_selector(const Json& object, std::string_view empty_message, Errors& errors) {
  const Json& selector = part(object, "spec.selector");
  check_label_selector(selector, "spec.selector", errors);
  if (selects_nothing_in_particular(selector)) {
    errors.push_back(field_errors::invalid("spec.selector", selector, empty_message));
    return;
  }
  const auto parsed = LabelSelector::parse(label_selector_text(selector));
  if (parsed && !parsed->matches(part(object, "spec.template"))) {
    errors.push_back(field_errors::invalid("spec.template.metadata.labels",
                                           object_at(object, "spec.template.metadata.labels"),
                                           "`selector` does not match template `labels`"));
  }
}

/// Pods that are to run for ever.
void check_endless_template(const Json& object, const char* kind, Errors& errors) {
  check_pod_template(part(object, "spec.template"), "spec.template", errors);
  const std::string_view policy = string_at(object, "spec.template.spec.restartPolicy", "Always");
  if (policy != "Always") {
    errors.push_back(
        field_errors::not_supported("spec.template.spec.restartPolicy", Json(policy), {"Always"}));
  }
  if (find(object, "spec.template.spec.activeDeadlineSeconds") != nullptr) {
    errors.push_back(
        field_errors::forbidden("spec.template.spec.activeDeadlineSeconds",
                                fmt::format("activeDeadlineSeconds in {} is not Supported", kind)));
  }
}

struct Share {
  std::int64_t value = 0;
  bool percent = false;
};

/// 3 or 25%.
std::optional<Share> read_share(const Json& json) {
  if (json.is_int64()) return Share{json.get_int64(), false};
  if (!json.is_string() || !json.get_string().ends_with('%')) return std::nullopt;
  const std::string_view digits = view(json.get_string()).substr(0, json.get_string().size() - 1);
  Share share{0, true};
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), share.value);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return share;
}

std::optional<Share> check_share(const Json& json, const std::string& path, Errors& errors) {
  const std::optional<Share> share = read_share(json);
  if (!share) {
    errors.push_back(
        field_errors::invalid(path, json, "must be an integer or percentage (e.g '5%%')"));
  } else if (share->value < 0) {
    errors.push_back(field_errors::invalid(path, json, kNotNegative));
  }
  return share;
}

void check_rolling_update(const Json& rolling, const std::string& path, Errors& errors) {
  const auto unavailable =
      check_share(part(rolling, "maxUnavailable"), path + ".maxUnavailable", errors);
  const auto surge = check_share(part(rolling, "maxSurge"), path + ".maxSurge", errors);
  if (unavailable && unavailable->value == 0 && surge && surge->value == 0) {
    errors.push_back(field_errors::invalid(path + ".maxUnavailable",
                                           part(rolling, "maxUnavailable"),
                                           "may not be 0 when `maxSurge` is 0"));
  }
  if (unavailable && unavailable->percent && unavailable->value > 100) {
    errors.push_back(field_errors::invalid(path + ".maxUnavailable",
                                           part(rolling, "maxUnavailable"),
                                           "must not be greater than 100%"));
  }
}

/// Jobs end, so their pods must too.
void check_ending_template(const Json& job, Errors& errors) {
  check_pod_template(part(job, "spec.template"), "spec.template", errors);
  const std::string_view policy = string_at(job, "spec.template.spec.restartPolicy");
  if (policy == "Never" || policy == "OnFailure") return;
  errors.push_back(policy.empty() || policy == "Always"
                       ? field_errors::required("spec.template.spec.restartPolicy",
                                                "valid values: \"OnFailure\", \"Never\"")
                       : field_errors::not_supported("spec.template.spec.restartPolicy",
                                                     Json(policy), {"OnFailure", "Never"}));
}

}  // namespace

void check_deployment(const Json& deployment, Errors& errors) {
  check_selector(deployment, "empty selector is invalid for deployment", errors);
  check_endless_template(deployment, "ReplicaSet", errors);
  const std::string path = "spec.strategy.rollingUpdate";
  const Json* rolling = find(deployment, path);
  if (string_at(deployment, "spec.strategy.type") == "Recreate") {
    if (rolling != nullptr) {
      errors.push_back(
          field_errors::forbidden(path, "may not be specified when strategy `type` is 'Recreate'"));
    }
  } else if (rolling != nullptr) {
    check_rolling_update(*rolling, path, errors);
  }
  const std::int64_t deadline = int_at(deployment, "spec.progressDeadlineSeconds", 600);
  if (deadline <= int_at(deployment, "spec.minReadySeconds")) {
    errors.push_back(field_errors::invalid("spec.progressDeadlineSeconds", Json(deadline),
                                           "must be greater than minReadySeconds"));
  }
}

void check_replica_set(const Json& set, Errors& errors) {
  check_selector(set, "empty selector is invalid for deployment", errors);
  check_endless_template(set, "ReplicaSet", errors);
}

void check_stateful_set(const Json& set, Errors& errors) {
  check_selector(set, "empty selector is invalid for statefulset", errors);
  check_endless_template(set, "StatefulSet", errors);
  if (string_at(set, "spec.updateStrategy.type") == "OnDelete" &&
      find(set, "spec.updateStrategy.rollingUpdate") != nullptr) {
    errors.push_back(field_errors::invalid("spec.updateStrategy.rollingUpdate",
                                           part(set, "spec.updateStrategy.rollingUpdate"),
                                           "only allowed for updateStrategy 'RollingUpdate'"));
  }
}

void check_batch_job(const Json& job, Errors& errors) {
  check_ending_template(job, errors);
  if (const Json* selector = find(job, "spec.selector")) {
    check_label_selector(*selector, "spec.selector", errors);
    const auto parsed = LabelSelector::parse(label_selector_text(*selector));
    if (parsed && !parsed->matches(part(job, "spec.template"))) {
      errors.push_back(field_errors::invalid("spec.template.metadata.labels",
                                             object_at(job, "spec.template.metadata.labels"),
                                             "`selector` does not match template `labels`"));
    }
  }
  if (string_at(job, "spec.completionMode") == "Indexed" &&
      find(job, "spec.completions") == nullptr) {
    errors.push_back(field_errors::required("spec.completions", "when completion mode is Indexed"));
  }
}

void check_selector_unchanged(const Json& before, const Json& after, Errors& errors) {
  check_field_unchanged(before, after, "spec.selector", errors);
}

void check_stateful_set_update(const Json& before, const Json& after, Errors& errors) {
  JsonObject fixed_before = object_at(before, "spec");
  JsonObject fixed_after = object_at(after, "spec");
  for (const char* field : {"replicas", "ordinals", "template", "updateStrategy",
                            "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    fixed_before.erase(field);
    fixed_after.erase(field);
  }
  if (fixed_before == fixed_after) return;
  errors.push_back(field_errors::forbidden(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
      "'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and "
      "'minReadySeconds' are forbidden"));
}

void check_batch_job_update(const Json& before, const Json& after, Errors& errors) {
  // An indexed job may grow and shrink: completions follow parallelism.
  const bool elastic = string_at(after, "spec.completionMode") == "Indexed" &&
                       part(after, "spec.completions") == part(after, "spec.parallelism");
  if (!elastic) check_field_unchanged(before, after, "spec.completions", errors);
  for (const char* field : {"spec.selector", "spec.completionMode", "spec.podFailurePolicy",
                            "spec.backoffLimitPerIndex", "spec.successPolicy", "spec.managedBy"}) {
    check_field_unchanged(before, after, field, errors);
  }
  const bool waits = bool_at(before, "spec.suspend") && find(before, "status.startTime") == nullptr;
  if (!waits) check_field_unchanged(before, after, "spec.template", errors);
}

}  // namespace trainyard::server
