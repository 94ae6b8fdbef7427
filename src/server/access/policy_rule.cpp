#include "server/access/policy_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace trainyard::server {
namespace {

using Texts = std::vector<std::string>;

bool contains(const Texts& texts, std::string_view wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

bool has_or_star(const Texts& texts, std::string_view wanted) {
  return contains(texts, "*") || contains(texts, wanted);
}

/// `*`, the resource itself, or `*/scale` for any resource's scale.
bool has_resource(const Texts& texts, std::string_view wanted) {
  if (has_or_star(texts, wanted)) return true;
  const std::size_t slash = wanted.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view subresource = wanted.substr(slash);
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return text.size() == subresource.size() + 1 && text.front() == '*' &&
           text.ends_with(subresource);
  });
}

/// A star at the end stands for the rest of a path.
bool has_url(const Texts& texts, std::string_view wanted) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    if (text == wanted) return true;
    return text.ends_with('*') &&
           wanted.starts_with(text.substr(0, text.find_last_not_of('*') + 1));
  });
}

/// One verb on one resource or path, as not_covered() takes rules apart.
bool covers(const PolicyRule& held, const PolicyRule& single) {
  if (!has_or_star(held.verbs, single.verbs.front())) return false;
  if (!single.non_resource_urls.empty()) {
    return has_url(held.non_resource_urls, single.non_resource_urls.front());
  }
  const bool name_fits =
      held.resource_names.empty() || (!single.resource_names.empty() &&
                                      contains(held.resource_names, single.resource_names.front()));
  return name_fits && has_or_star(held.api_groups, single.api_groups.front()) &&
         has_resource(held.resources, single.resources.front());
}

std::vector<PolicyRule> take_apart(const PolicyRule& rule) {
  std::vector<PolicyRule> singles;
  for (const std::string& verb : rule.verbs) {
    for (const std::string& group : rule.api_groups) {
      for (const std::string& resource : rule.resources) {
        PolicyRule single{{verb}, {group}, {resource}, {}, {}};
        if (rule.resource_names.empty()) singles.push_back(single);
        for (const std::string& name : rule.resource_names) {
          single.resource_names = {name};
          singles.push_back(single);
        }
      }
    }
    for (const std::string& url : rule.non_resource_urls) {
      singles.push_back(PolicyRule{{verb}, {}, {}, {}, {url}});
    }
  }
  return singles;
}

std::string describe(const PolicyRule& rule) {
  std::string text;
  const auto add = [&text](const char* name, const Texts& texts) {
    if (texts.empty()) return;
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", name, in_quotes(texts));
  };
  add("APIGroups", rule.api_groups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.non_resource_urls);
  add("ResourceNames", rule.resource_names);
  add("Verbs", rule.verbs);
  return "{" + text + "}";
}

}  // namespace

PolicyRule read_rule(const Json& rule) {
  return PolicyRule{texts_at(rule, "verbs"), texts_at(rule, "apiGroups"),
                    texts_at(rule, "resources"), texts_at(rule, "resourceNames"),
                    texts_at(rule, "nonResourceURLs")};
}

std::vector<PolicyRule> read_rules(const JsonArray& rules) {
  std::vector<PolicyRule> read;
  for (const Json& rule : rules) read.push_back(read_rule(rule));
  return read;
}

Json to_json(const PolicyRule& rule) {
  JsonObject out;
  const auto add = [&out](const char* name, const Texts& texts) {
    if (!texts.empty()) out[name] = JsonArray(texts.begin(), texts.end());
  };
  out["verbs"] = JsonArray(rule.verbs.begin(), rule.verbs.end());
  add("apiGroups", rule.api_groups);
  add("resources", rule.resources);
  add("resourceNames", rule.resource_names);
  add("nonResourceURLs", rule.non_resource_urls);
  return out;
}

bool allows(const PolicyRule& rule, const Access& access, const std::string& resource) {
  if (!has_or_star(rule.verbs, access.verb)) return false;
  if (!access.is_resource) return has_url(rule.non_resource_urls, access.path);
  return has_or_star(rule.api_groups, access.resource.group) &&
         has_resource(rule.resources, resource) &&
         (rule.resource_names.empty() || contains(rule.resource_names, access.key.name));
}

std::vector<PolicyRule> not_covered(const std::vector<PolicyRule>& held,
                                    const std::vector<PolicyRule>& wanted) {
  std::vector<PolicyRule> missing;
  for (const PolicyRule& rule : wanted) {
    for (PolicyRule& single : take_apart(rule)) {
      const bool covered = std::any_of(held.begin(), held.end(), [&single](const PolicyRule& own) {
        return covers(own, single);
      });
      if (!covered) missing.push_back(std::move(single));
    }
  }
  return missing;
}

std::string describe(const std::vector<PolicyRule>& rules) {
  std::map<std::pair<Texts, Texts>, PolicyRule> by_resource;
  std::set<std::string> lines;
  for (const PolicyRule& rule : rules) {
    if (!rule.resource_names.empty() || !rule.non_resource_urls.empty()) {
      lines.insert(describe(rule));
      continue;
    }
    const auto [same, added] =
        by_resource.emplace(std::pair(rule.api_groups, rule.resources), rule);
    if (!added) {
      same->second.verbs.insert(same->second.verbs.end(), rule.verbs.begin(), rule.verbs.end());
    }
  }
  for (const auto& [resource, rule] : by_resource) lines.insert(describe(rule));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace trainyard::server
