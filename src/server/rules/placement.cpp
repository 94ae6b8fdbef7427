#include "server/rules/placement.h"

#include "object/values/names.h"

#include <set>

namespace trainyard::server {
namespace {

void check_toleration(const Json& toleration, const std::string& path, Errors& errors) {
  const std::string_view key = string_at(toleration, "key");
  const std::string_view op = string_at(toleration, "operator");
  if (!key.empty()) add_problems(qualified_name_problems(key), path + ".key", key, errors);
  if (key.empty() && op != "Exists") {
    errors.push_back(field_errors::invalid(path + ".operator", Json(op),
                                           "operator must be Exists when `key` is empty, which "
                                           "means \"match all values and all keys\""));
  }
  if (find(toleration, "tolerationSeconds") != nullptr &&
      string_at(toleration, "effect") != "NoExecute") {
    errors.push_back(
        field_errors::invalid(path + ".effect", Json(string_at(toleration, "effect")),
                              "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  const std::string_view value = string_at(toleration, "value");
  if (op == "Exists" && !value.empty()) {
    errors.push_back(field_errors::invalid(path + ".operator", toleration,
                                           "value must be empty when `operator` is 'Exists'"));
  } else if (op != "Exists") {
    add_problems(label_value_problems(value), path + ".operator", value, errors);
  }
}

void check_requirement(const Json& requirement, const std::string& path, Errors& errors) {
  const std::string_view op = string_at(requirement, "operator");
  const std::size_t values = array_at(requirement, "values").size();
  if ((op == "In" || op == "NotIn") && values == 0) {
    errors.push_back(field_errors::required(
        path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if ((op == "Exists" || op == "DoesNotExist") && values > 0) {
    errors.push_back(field_errors::forbidden(
        path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if ((op == "Gt" || op == "Lt") && values != 1) {
    errors.push_back(field_errors::required(
        path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  }
  const std::string_view key = string_at(requirement, "key");
  add_problems(qualified_name_problems(key), path + ".key", key, errors);
}

void check_term(const Json& term, const std::string& path, Errors& errors) {
  for (const char* list : {"matchExpressions", "matchFields"}) {
    std::size_t index = 0;
    for (const Json& requirement : array_at(term, list)) {
      check_requirement(requirement, at(fmt::format("{}.{}", path, list), index++), errors);
    }
  }
}

void check_weight(const Json& term, const std::string& path, Errors& errors) {
  const std::int64_t weight = int_at(term, "weight");
  if (weight >= 1 && weight <= 100) return;
  errors.push_back(
      field_errors::invalid(path + ".weight", Json(weight), "must be in the range 1-100"));
}

void check_pod_term(const Json& term, const std::string& path, Errors& errors) {
  for (const char* selector : {"labelSelector", "namespaceSelector"}) {
    if (const Json* found = find(term, selector)) {
      check_label_selector(*found, fmt::format("{}.{}", path, selector), errors);
    }
  }
  const std::string_view key = string_at(term, "topologyKey");
  if (key.empty()) {
    errors.push_back(field_errors::required(path + ".topologyKey", "can not be empty"));
  } else {
    add_problems(qualified_name_problems(key), path + ".topologyKey", key, errors);
  }
}

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void check_pod_affinity(const Json& affinity, const std::string& path, Errors& errors) {
  std::size_t index = 0;
  for (const Json& term : array_at(affinity, kRequired)) {
    check_pod_term(term, at(fmt::format("{}.{}", path, kRequired), index++), errors);
  }
  index = 0;
  for (const Json& weighted : array_at(affinity, kPreferred)) {
    const std::string here = at(fmt::format("{}.{}", path, kPreferred), index++);
    check_weight(weighted, here, errors);
    if (const Json* term = find(weighted, "podAffinityTerm")) {
      check_pod_term(*term, here + ".podAffinityTerm", errors);
    }
  }
}

void check_affinity(const Json& affinity, const std::string& path, Errors& errors) {
  if (const Json* nodes = find(affinity, "nodeAffinity")) {
    const std::string here = path + ".nodeAffinity";
    if (const Json* selector = find(*nodes, kRequired)) {
      check_node_selector(*selector, fmt::format("{}.{}", here, kRequired), errors);
    }
    std::size_t index = 0;
    for (const Json& preferred : array_at(*nodes, kPreferred)) {
      const std::string term_path = at(fmt::format("{}.{}", here, kPreferred), index++);
      check_weight(preferred, term_path, errors);
      if (const Json* term = find(preferred, "preference")) {
        check_term(*term, term_path + ".preference", errors);
      }
    }
  }
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    if (const Json* pods = find(affinity, kind)) {
      check_pod_affinity(*pods, fmt::format("{}.{}", path, kind), errors);
    }
  }
}

void check_spreading(const Json& spec, const std::string& path, Errors& errors) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& constraint : array_at(spec, "topologySpreadConstraints")) {
    const std::string here = at(path + ".topologySpreadConstraints", index++);
    if (const std::int64_t skew = int_at(constraint, "maxSkew"); skew <= 0) {
      errors.push_back(
          field_errors::invalid(here + ".maxSkew", Json(skew), "must be greater than zero"));
    }
    const std::string key(string_at(constraint, "topologyKey"));
    if (key.empty()) {
      errors.push_back(field_errors::required(here + ".topologyKey", "can not be empty"));
    }
    const std::string identity =
        fmt::format("{{{}, {}}}", key, string_at(constraint, "whenUnsatisfiable"));
    if (!seen.insert(identity).second) {
      errors.push_back(
          field_errors::duplicate(here + ".{topologyKey, whenUnsatisfiable}", Json(identity)));
    }
    if (const Json* selector = find(constraint, "labelSelector")) {
      check_label_selector(*selector, here + ".labelSelector", errors);
    }
  }
}

}  // namespace

void check_node_selector(const Json& selector, const std::string& path, Errors& errors) {
  const JsonArray& terms = array_at(selector, "nodeSelectorTerms");
  if (terms.empty()) {
    errors.push_back(field_errors::required(path + ".nodeSelectorTerms",
                                            "must have at least one node selector term"));
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    check_term(terms[i], at(path + ".nodeSelectorTerms", i), errors);
  }
}

void check_placement(const Json& spec, const std::string& path, Errors& errors) {
  std::size_t index = 0;
  for (const Json& toleration : array_at(spec, "tolerations")) {
    check_toleration(toleration, at(path + ".tolerations", index++), errors);
  }
  if (const Json* affinity = find(spec, "affinity")) {
    check_affinity(*affinity, path + ".affinity", errors);
  }
  check_spreading(spec, path, errors);
}

}  // namespace trainyard::server
