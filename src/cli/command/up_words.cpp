#include "cli/command/up_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace trainyard::cli {
namespace {

constexpr const char* kWebhooksVariable = "TRAINYARD_UP_WEBHOOKS";  // with blanks between
constexpr const char* kOnJobEndVariable = "TRAINYARD_UP_ON_JOB_END";

std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value != nullptr ? value : "";
  ::unsetenv(name);
  return text;
}

}  // namespace

std::vector<std::string> up_words(const UpOptions& options) {
  std::vector<std::string> words;
  for (const auto& [flag, value] : std::vector<std::pair<const char*, std::string>>{
           {"--data-dir", options.data_dir},
           {"--listen", options.listen},
           {"--console", options.console},
           {"--idle-after", options.idle_after},
           {"--stall-after", options.stall_after},
           {"--suspend-after", options.suspend_after},
           {"--log-limit", options.log_limit},
           {"--keep-logs", options.keep_logs},
           {"--keep-logs-size", options.keep_logs_size},
           {"--keep-usage", options.keep_usage},
           {"--keep-usage-size", options.keep_usage_size},
           {"--audit-log-size", options.audit_log_size},
           {"--keep-audit", fmt::to_string(options.keep_audit)}}) {
    words.emplace_back(flag);
    words.push_back(value);
  }
  if (!options.apps.empty()) words.insert(words.end(), {"--apps", options.apps});
  if (!options.nodes.empty()) words.insert(words.end(), {"--nodes", options.nodes});
  if (options.fake_gpus) words.emplace_back("--fake-gpus");
  if (options.fake_gpus && !options.fake_gpus->empty()) words.push_back(*options.fake_gpus);
  if (options.overcommit_memory) words.emplace_back("--overcommit-memory");
  if (options.strict_images) words.emplace_back("--strict-images");
  if (options.accept_loss) words.emplace_back("--accept-loss");
  if (options.fake_runtime) words.emplace_back("--fake-runtime");
  return words;
}

std::vector<std::pair<std::string, std::string>> secret_variables(const UpOptions& options) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (!options.webhooks.empty()) {
    variables.emplace_back(kWebhooksVariable, fmt::format("{}", fmt::join(options.webhooks, " ")));
  }
  if (!options.on_job_end.empty()) variables.emplace_back(kOnJobEndVariable, options.on_job_end);
  return variables;
}

void take_secret_options(UpOptions& options) {
  const std::string list = take_variable(kWebhooksVariable);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (end > at) options.webhooks.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  const std::string command = take_variable(kOnJobEndVariable);
  if (!command.empty()) options.on_job_end = command;
}

}  // namespace trainyard::cli
