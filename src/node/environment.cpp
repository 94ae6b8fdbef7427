#include "node/environment.h"

#include "object/metadata.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

void set_variable(Variables& variables, std::string name, std::string value) {
  const auto same = std::find_if(variables.begin(), variables.end(),
                                 [&](const auto& variable) { return variable.first == name; });
  if (same != variables.end()) variables.erase(same);
  variables.emplace_back(std::move(name), std::move(value));
}

/// metadata.labels['a.b/c']: the part in quotes, when the path is of that shape.
std::optional<std::string> map_entry(std::string_view path, std::string_view map) {
  const std::string prefix = std::string(map) + "['";
  if (!path.starts_with(prefix) || !path.ends_with("']")) return std::nullopt;
  return std::string(path.substr(prefix.size(), path.size() - prefix.size() - 2));
}

Result<std::string> field_value(const Json& pod, std::string_view path) {
  if (const auto label = map_entry(path, "metadata.labels")) {
    return std::string(label_of(pod, *label));
  }
  if (const auto annotation = map_entry(path, "metadata.annotations")) {
    return std::string(annotation_of(pod, *annotation));
  }
  for (const char* known : {"metadata.name", "metadata.namespace", "metadata.uid", "status.podIP",
                            "spec.serviceAccountName", "spec.nodeName"}) {
    if (path == known) return std::string(string_at(pod, path));
  }
  return Error(Code::kInvalid, fmt::format("the field {} cannot be used as a variable", path));
}

Result<std::string> variable_value(const Json& pod, const Json& variable, const Variables& so_far) {
  const Json* source = find(variable, "valueFrom");
  if (source == nullptr) {
    auto value = expand(string_at(variable, "value"), so_far);
    if (value) return value;
    return std::move(value).error().within(fmt::format("variable {}", string_at(variable, "name")));
  }
  if (const auto path = string_at(*source, "fieldRef.fieldPath"); !path.empty()) {
    auto value = field_value(pod, path);
    if (value) return value;
    return std::move(value).error().within(fmt::format("variable {}", string_at(variable, "name")));
  }
  return Error(Code::kInvalid,
               fmt::format("variable {} takes its value from a source that this version does not "
                           "support yet: {}",
                           string_at(variable, "name"), to_text(*source)));
}

}  // namespace

Result<std::string> expand(std::string_view text, const Variables& variables) {
  std::string out;
  const std::size_t last_close = text.rfind(')');  // looked for once, not at every open one
  for (std::size_t i = 0; i < text.size() && out.size() <= kLongestWord; ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      out += '$';
      ++i;
      continue;
    }
    const bool closes =
        text[i + 1] == '(' && last_close != std::string_view::npos && i < last_close;
    const std::size_t close = closes ? text.find(')', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[i];
      continue;
    }
    const std::string_view name = text.substr(i + 2, close - i - 2);
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const auto& variable) { return variable.first == name; });
    if (found == variables.end()) {
      out += text.substr(i, close - i + 1);
    } else {
      out += found->second;
    }
    i = close;
  }
  if (out.size() <= kLongestWord) return out;
  return Error(Code::kInvalid,
               fmt::format("with its references replaced it is longer than {} bytes, the most that "
                           "the kernel gives to a process",
                           kLongestWord));
}

Result<Variables> make_environment(const Json& pod, const Json& container,
                                   const NodeConfig& config) {
  Variables variables{{"PATH", config.path},
                      {"HOME", config.home},
                      {"LANG", "C.UTF-8"},
                      {"HOSTNAME", std::string(string_at(pod, "spec.hostname", name_of(pod)))},
                      // A log that arrives when the process ends is of little use.
                      {"PYTHONUNBUFFERED", "1"}};
  if (!array_at(container, "envFrom").empty()) {
    return Error(Code::kInvalid, "envFrom is not supported by this version yet");
  }
  for (const Json& variable : array_at(container, "env")) {
    TRY(std::string value, variable_value(pod, variable, variables));
    set_variable(variables, std::string(string_at(variable, "name")), std::move(value));
  }
  return variables;
}

Result<std::vector<std::string>> make_command(const Json& container, const Variables& variables) {
  std::vector<std::string> command;
  for (const char* part : {"command", "args"}) {
    for (const Json& word : array_at(container, part)) {
      if (!word.is_string()) continue;
      auto full = expand({word.get_string().data(), word.get_string().size()}, variables);
      if (!full) return std::move(full).error().within(fmt::format("a word of {}", part));
      command.push_back(*std::move(full));
    }
  }
  if (!command.empty()) return command;
  return Error(Code::kInvalid,
               fmt::format("container {} has neither command nor args, and its image ({}) runs in "
                           "the host's environment, which has no default command",
                           string_at(container, "name"), string_at(container, "image")));
}

}  // namespace trainyard::node
