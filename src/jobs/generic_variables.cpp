#include "jobs/generic_variables.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace trainyard::jobs {
namespace {

/// "worker" of "replicas[worker]" with the beginning "replicas[" and the end "]".
std::optional<std::string_view> between(std::string_view text, std::string_view begin,
                                        std::string_view end) {
  if (text.size() < begin.size() + end.size() || !text.starts_with(begin) || !text.ends_with(end)) {
    return std::nullopt;
  }
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

std::optional<std::string> count_of(const JobForm& form, std::string_view type) {
  for (const ReplicaGroup& group : form.groups) {
    if (group.type == type) return std::to_string(group.replicas);
  }
  return std::nullopt;
}

std::optional<std::string> port_of(const Json& job, std::string_view name) {
  for (const Json& port : array_at(job, "spec.service.ports")) {
    if (string_at(port, "name") == name) return std::to_string(int_at(port, "port"));
  }
  return std::nullopt;
}

/// `place` is TYPE[RANK].
std::optional<std::string> host_of(const Json& job, const JobForm& form, std::string_view place) {
  const std::size_t bracket = place.find('[');
  if (bracket == std::string_view::npos || !place.ends_with(']')) return std::nullopt;
  const std::string_view type = place.substr(0, bracket);
  const std::string_view digits = place.substr(bracket + 1, place.size() - bracket - 2);
  std::int64_t index = -1;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  for (const ReplicaGroup& group : form.groups) {
    if (group.type == type && index >= 0 && index < group.replicas) {
      return replica_service_name(job, type, index);
    }
  }
  return std::nullopt;
}

std::optional<std::string> value_of(std::string_view name, const Json& job, const JobForm& form,
                                    const Replica& replica) {
  if (name == "type") return form.groups[replica.group].type;
  if (name == "rank") return std::to_string(replica.index);
  if (const auto type = between(name, "replicas[", "]")) return count_of(form, *type);
  if (array_at(job, "spec.service.ports").empty()) return std::nullopt;
  if (const auto port = between(name, "service.port[", "]")) return port_of(job, *port);
  if (const auto place = between(name, "service.", ".host")) return host_of(job, form, *place);
  return std::nullopt;
}

}  // namespace

std::string replica_service_name(const Json& job, std::string_view type, std::int64_t index) {
  return fmt::format("{}-{}-{}", name_of(job), type, index);
}

std::string substitute(std::string_view text, const Json& job, const JobForm& form,
                       const Replica& replica) {
  std::string out;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    out += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    if (text.starts_with("$$")) {
      out += "$$";
      text.remove_prefix(2);
      continue;
    }
    const std::size_t end = text.starts_with("$(") ? text.find(')') : std::string_view::npos;
    const auto value = end == std::string_view::npos
                           ? std::nullopt
                           : value_of(text.substr(2, end - 2), job, form, replica);
    if (value) {
      out += *value;
      text.remove_prefix(end + 1);
    } else {
      out += '$';
      text.remove_prefix(1);
    }
  }
  return out;
}

void substitute_variables(Json& pod, const Json& job, const JobForm& form, const Replica& replica) {
  const auto replace = [&](Json* value) {
    if (value == nullptr || !value->is_string()) return;
    const JsonString& text = value->get_string();
    *value = substitute({text.data(), text.size()}, job, form, replica);
  };
  for (const char* list : {"initContainers", "containers"}) {
    Json* containers = find(pod, std::string("spec.") + list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) {
      for (const char* words : {"command", "args"}) {
        Json* found = find(container, words);
        if (found == nullptr || !found->is_array()) continue;
        for (Json& word : found->get_array()) replace(&word);
      }
      Json* env = find(container, "env");
      if (env == nullptr || !env->is_array()) continue;
      for (Json& variable : env->get_array()) replace(find(variable, "value"));
    }
  }
}

}  // namespace trainyard::jobs
