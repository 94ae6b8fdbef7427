#include "workloads/apps/revision.h"

#include "base/crypto/ids.h"
#include "workloads/apps/apps.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace trainyard::workloads {
namespace {

/// Whatever a writer left empty is the same as what another left out.
Json without_empty(const Json& value) {
  if (value.is_object()) {
    JsonObject kept;
    for (const auto& member : value.get_object()) {
      Json inner = without_empty(member.value());
      const bool empty = inner.is_null() || (inner.is_object() && inner.get_object().empty()) ||
                         (inner.is_array() && inner.get_array().empty());
      if (!empty) kept[member.key()] = std::move(inner);
    }
    return kept;
  }
  if (value.is_array()) {
    JsonArray kept;
    for (const Json& element : value.get_array()) kept.push_back(without_empty(element));
    return kept;
  }
  return value;
}

Json comparable(const Json& pod_template) {
  Json copy = pod_template;
  if (Json* labels = find(copy, "metadata.labels"); labels != nullptr && labels->is_object()) {
    labels->get_object().erase(kTemplateHashLabel);
  }
  return without_empty(copy);
}

bool is_about_the_deployment(std::string_view annotation) {
  static constexpr std::array<std::string_view, 6> kOwn{
      "kubectl.kubernetes.io/last-applied-configuration",
      kRevision,
      kRevisionHistory,
      kDesiredReplicas,
      kMaxReplicas,
      "deprecated.deployment.rollback.to"};
  return std::find(kOwn.begin(), kOwn.end(), annotation) != kOwn.end();
}

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string template_hash(const Json& pod_template, std::int64_t collisions) {
  std::string text = to_text(pod_template);
  if (collisions > 0) text += fmt::format("#{}", collisions);
  const std::uint64_t wide = fnv1a(text);
  const auto hash = static_cast<std::uint32_t>(wide ^ (wide >> 32));
  // Letters and digits that cannot form words, as in generated names.
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string name;
  for (const char digit : std::to_string(hash)) {
    name.push_back(kLetters[static_cast<unsigned char>(digit) % kLetters.size()]);
  }
  return name;
}

bool same_template(const Json& a, const Json& b) {
  return comparable(a) == comparable(b);
}

ObjectPtr find_new_set(const Json& deployment, const std::vector<ObjectPtr>& sets) {
  ObjectPtr found;
  const Json wanted = comparable(json_at(deployment, "spec.template"));
  for (const ObjectPtr& set : sets) {
    if (comparable(json_at(set->body(), "spec.template")) != wanted) continue;
    const std::string_view made = string_at(set->body(), "metadata.creationTimestamp");
    if (found == nullptr || made < string_at(found->body(), "metadata.creationTimestamp")) {
      found = set;
    }
  }
  return found;
}

std::int64_t revision_of(const Json& object) {
  return number_in(annotation_of(object, kRevision));
}

JsonObject annotations_for_set(const Json& deployment, const JsonObject& before,
                               std::int64_t revision) {
  JsonObject annotations = before;
  for (const auto& annotation : object_at(deployment, "metadata.annotations")) {
    if (!is_about_the_deployment(annotation.key()))
      annotations[annotation.key()] = annotation.value();
  }
  const Json* old = before.if_contains(kRevision);
  const std::string old_text(old == nullptr ? std::string_view() : text_of(*old));
  if (number_in(old_text) < revision) {
    annotations[kRevision] = std::to_string(revision);
    if (!old_text.empty()) {
      const Json* past = before.if_contains(kRevisionHistory);
      const std::string history(past == nullptr ? std::string_view() : text_of(*past));
      annotations[kRevisionHistory] = history.empty() ? old_text : history + "," + old_text;
    }
  }
  return annotations;
}

Json make_replica_set(const Json& deployment, std::int64_t replicas, std::int64_t max_replicas,
                      std::int64_t revision) {
  Json pod_template = json_at(deployment, "spec.template");
  const std::string hash = template_hash(pod_template, int_at(deployment, "status.collisionCount"));
  JsonObject labels = object_at(pod_template, "metadata.labels");
  labels[kTemplateHashLabel] = hash;
  make_path(pod_template, "metadata.labels") = labels;
  Json selector = json_at(deployment, "spec.selector");
  make_path(selector, "matchLabels").emplace_object() =
      object_at(deployment, "spec.selector.matchLabels");
  selector.get_object()["matchLabels"].get_object()[kTemplateHashLabel] = hash;
  JsonObject annotations = annotations_for_set(deployment, {}, revision);
  annotations[kDesiredReplicas] = std::to_string(int_at(deployment, "spec.replicas", 1));
  annotations[kMaxReplicas] = std::to_string(max_replicas);
  JsonObject spec{{"replicas", replicas},
                  {"selector", std::move(selector)},
                  {"template", std::move(pod_template)}};
  if (const std::int64_t seconds = int_at(deployment, "spec.minReadySeconds"); seconds > 0) {
    spec["minReadySeconds"] = seconds;
  }
  return {{"apiVersion", "apps/v1"},
          {"kind", "ReplicaSet"},
          {"metadata",
           {{"name", fmt::format("{}-{}", name_of(deployment), hash)},
            {"namespace", namespace_of(deployment)},
            {"labels", std::move(labels)},
            {"annotations", std::move(annotations)},
            {"ownerReferences", JsonArray{owner_reference(deployment)}}}},
          {"spec", std::move(spec)}};
}

}  // namespace trainyard::workloads
