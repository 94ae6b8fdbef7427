#include "server/access/role_aggregation.h"

#include "object/values/selector.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr const char* kAggregated = "rbac.authorization.k8s.io/clusterroles";

/// A selector of matchLabels and matchExpressions in the words of `kubectl -l`.
std::string selector_text(const Json& selector) {
  std::vector<std::string> terms;
  for (const auto& label : object_at(selector, "matchLabels")) {
    const std::string value =
        label.value().is_string() ? to_string(label.value().get_string()) : std::string();
    terms.push_back(fmt::format("{}={}", std::string_view(label.key()), value));
  }
  for (const Json& term : array_at(selector, "matchExpressions")) {
    const std::string_view key = string_at(term, "key");
    const std::string_view op = string_at(term, "operator");
    std::string values;
    for (const Json& value : array_at(term, "values")) {
      if (!value.is_string()) continue;
      values += (values.empty() ? "" : ",") + to_string(value.get_string());
    }
    if (op == "Exists") terms.emplace_back(key);
    if (op == "DoesNotExist") terms.push_back(fmt::format("!{}", key));
    if (op == "In") terms.push_back(fmt::format("{} in ({})", key, values));
    if (op == "NotIn") terms.push_back(fmt::format("{} notin ({})", key, values));
  }
  return fmt::format("{}", fmt::join(terms, ","));
}

const JsonArray& selectors_of(const Json& role) {
  return array_at(role, "aggregationRule.clusterRoleSelectors");
}

bool is_selected(const Json& candidate, const std::vector<LabelSelector>& selectors) {
  return std::any_of(selectors.begin(), selectors.end(),
                     [&](const LabelSelector& selector) { return selector.matches(candidate); });
}

std::vector<LabelSelector> parse_selectors(const Json& role) {
  std::vector<LabelSelector> selectors;
  for (const Json& selector : selectors_of(role)) {
    // What cannot be read selects nothing.
    if (auto parsed = LabelSelector::parse(selector_text(selector))) {
      selectors.push_back(*std::move(parsed));
    }
  }
  return selectors;
}

JsonArray to_json_rules(const std::vector<PolicyRule>& rules) {
  JsonArray out;
  for (const PolicyRule& rule : rules) out.push_back(to_json(rule));
  return out;
}

store::Store::Write make_write(const Json& role, JsonArray rules) {
  store::Store::Write write;
  write.collection = kAggregated;
  write.key = key_of(role);
  write.edit = [rules =
                    std::move(rules)](const ObjectPtr& current) -> Result<store::Store::Decision> {
    if (current == nullptr) return Error(Code::kNotFound, "the role is gone");
    Json body = current->whole();
    body.get_object()["rules"] = rules;
    return store::Store::Decision(std::move(body));
  };
  return write;
}

}  // namespace

std::vector<PolicyRule> effective_rules(const Json& role, const std::vector<ObjectPtr>& roles) {
  if (selectors_of(role).empty()) return read_rules(array_at(role, "rules"));
  // From role to role, each once: they may aggregate each other in a circle.
  std::vector<const Json*> reached{&role};
  std::vector<PolicyRule> rules;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const Json& current = *reached[next];
    if (selectors_of(current).empty()) {
      for (PolicyRule& rule : read_rules(array_at(current, "rules"))) {
        if (std::find(rules.begin(), rules.end(), rule) == rules.end()) {
          rules.push_back(std::move(rule));
        }
      }
      continue;
    }
    const std::vector<LabelSelector> selectors = parse_selectors(current);
    for (const ObjectPtr& candidate : roles) {
      const auto is_known = [&](const Json* known) {
        return name_of(*known) == name_of(candidate->body());
      };
      if (std::none_of(reached.begin(), reached.end(), is_known) &&
          is_selected(candidate->body(), selectors)) {
        reached.push_back(&candidate->body());
      }
    }
  }
  return rules;
}

awaitable<Result<>> write_aggregated_rules(store::Store& store) {
  const store::Listing roles = store.list(kAggregated, "");
  for (const ObjectPtr& role : roles.objects) {
    const Json& body = role->body();
    if (selectors_of(body).empty()) continue;
    JsonArray rules = to_json_rules(effective_rules(body, roles.objects));
    if (Json(rules) == Json(array_at(body, "rules"))) continue;
    const Result<ObjectPtr> written = co_await store.write(make_write(body, std::move(rules)));
    if (!written && !written.failed_with(Code::kNotFound)) co_return written.error();
  }
  co_return Ok();
}

}  // namespace trainyard::server
