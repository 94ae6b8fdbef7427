#include "node/run/environment.h"

#include "node/limits/gpus.h"
#include "node/volumes/config_values.h"
#include "node/volumes/pod_fields.h"
#include "object/values/metadata.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

/// Nothing: the variable is left out, as its source is optional.
Result<std::optional<std::string>> referred_value(const EnvironmentSources& sources,
                                                  const Json& source) {
  if (const Json* reference = find(source, "configMapKeyRef")) {
    return config_value(ConfigKind::kConfigMap, *reference, sources.facts.ns, sources.find_config);
  }
  if (const Json* reference = find(source, "secretKeyRef")) {
    return config_value(ConfigKind::kSecret, *reference, sources.facts.ns, sources.find_config);
  }
  if (const Json* reference = find(source, "resourceFieldRef")) {
    TRY(std::string value,
        resource_field(sources.pod, sources.container, *reference, sources.capacity));
    return std::optional(std::move(value));
  }
  if (const auto path = string_at(source, "fieldRef.fieldPath"); !path.empty()) {
    TRY(std::string value, pod_field(sources.pod, sources.facts, path));
    return std::optional(std::move(value));
  }
  return Error(Code::kInvalid, fmt::format("a value cannot come from {}", to_text(source)));
}

Result<> add_all_of(const EnvironmentSources& sources, const Json& from, VariableTable& variables) {
  const std::string prefix(string_at(from, "prefix"));
  for (const auto& [kind, field] : {std::pair(ConfigKind::kConfigMap, "configMapRef"),
                                    std::pair(ConfigKind::kSecret, "secretRef")}) {
    const Json* reference = find(from, field);
    if (reference == nullptr) continue;
    TRY(auto values, config_values(kind, *reference, sources.find_config));
    for (auto& [name, value] : values) TRY_OK(variables.set(prefix + name, std::move(value)));
  }
  return Ok();
}

Result<> add_variable(const EnvironmentSources& sources, const Json& variable,
                      VariableTable& variables) {
  const std::string name(string_at(variable, "name"));
  const Json* source = find(variable, "valueFrom");
  if (source == nullptr) {
    auto value = expand(string_at(variable, "value"), variables);
    if (!value) return std::move(value).error().within(fmt::format("variable {}", name));
    return variables.set(name, *std::move(value));
  }
  auto value = referred_value(sources, *source);
  if (value.failed_with(Code::kInvalid)) {
    return std::move(value).error().within(fmt::format("variable {}", name));
  }
  if (!value) return std::move(value).error();
  return *value ? variables.set(name, **std::move(value)) : Result<>(Ok());
}

}  // namespace

Result<Variables> make_environment(const EnvironmentSources& sources) {
  VariableTable variables(Variables{
      {"PATH", sources.config.path},
      {"HOME", sources.home},
      {"LANG", "C.UTF-8"},
      {"HOSTNAME", std::string(string_at(sources.pod, "spec.hostname", name_of(sources.pod)))},
      // A log that arrives when the process ends is of little use.
      {"PYTHONUNBUFFERED", "1"}});
  for (const auto& [name, value] : sources.image) TRY_OK(variables.set(name, value));
  const NodeSpec& node = node_named(sources.config.nodes, string_at(sources.pod, "spec.nodeName"));
  for (auto& [name, value] : gpu_variables(sources.pod, sources.container, node.first_gpu)) {
    TRY_OK(variables.set(name, std::move(value)));
  }
  if (!sources.config.api_host.empty()) {
    const std::string port = std::to_string(sources.config.api_port);
    TRY_OK(variables.set("KUBERNETES_SERVICE_HOST", sources.config.api_host));
    TRY_OK(variables.set("KUBERNETES_SERVICE_PORT", port));
    TRY_OK(variables.set("KUBERNETES_SERVICE_PORT_HTTPS", port));
  }
  for (const Json& from : array_at(sources.container, "envFrom")) {
    TRY_OK(add_all_of(sources, from, variables));
  }
  for (const Json& variable : array_at(sources.container, "env")) {
    TRY_OK(add_variable(sources, variable, variables));
  }
  return std::move(variables).take();
}

Result<std::vector<std::string>> make_command(const Json& container, const Variables& variables,
                                              const std::optional<contract::ImageMap>& image) {
  static const contract::ImageConfig kNothing;
  const contract::ImageConfig& own = image ? image->config : kNothing;
  const VariableTable table(variables);
  std::vector<std::string> command;
  const bool says_command = !array_at(container, "command").empty();
  const bool says_args = !array_at(container, "args").empty();
  if (!says_command) command = own.entrypoint;
  for (const char* part : {"command", "args"}) {
    for (const Json& word : array_at(container, part)) {
      if (!word.is_string()) continue;
      auto full = expand({word.get_string().data(), word.get_string().size()}, table);
      if (!full) return std::move(full).error().within(fmt::format("a word of {}", part));
      command.push_back(*std::move(full));
    }
  }
  if (!says_command && !says_args) {
    command.insert(command.end(), own.command.begin(), own.command.end());
  }
  if (!command.empty()) return command;
  const bool has_root = image && image->kind == contract::ImageMap::Kind::kRootfs;
  return Error(Code::kInvalid,
               fmt::format("container {} has neither command nor args, and its image ({}) {}",
                           string_at(container, "name"), string_at(container, "image"),
                           has_root ? "has neither an Entrypoint nor a Cmd: set command"
                                    : "runs in the host's environment, which has no default "
                                      "command"));
}

}  // namespace trainyard::node
