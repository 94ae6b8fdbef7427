#include "jobs/hooks/hook_options.h"

#include "base/files/files.h"
#include "base/log.h"

namespace trainyard::jobs {
namespace {

/// From the first start with hooks on: nobody wants a flood of old ends.
Result<WallTime> known_since(const std::filesystem::path& file, bool some) {
  // Jobs say the second in which they ended, and no more.
  const WallTime now = std::chrono::floor<std::chrono::seconds>(SystemClock().wall());
  if (!some) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return now;
  }
  if (const auto known = read_file(file)) {
    if (const auto time = parse_time(known->substr(0, known->find('\n')))) return *time;
    log_warn("jobs that ended until now are not told of: it was not noted since when to tell",
             {{"file", file.string()}});
  }
  TRY_OK(write_file(file, format_time(now) + "\n", 0600));
  return now;
}

}  // namespace

Result<HookOptions> read_hook_options(const std::vector<std::string>& webhooks,
                                      const std::string& command,
                                      const std::filesystem::path& data_dir) {
  HookOptions hooks;
  for (const std::string& url : webhooks) {
    auto target = parse_webhook(url);
    if (!target) return std::move(target).error().within("--webhook");
    hooks.webhooks.push_back(*std::move(target));
  }
  hooks.command = command;
  hooks.log = data_dir / "hooks.log";
  TRY(hooks.since,
      known_since(data_dir / "hooks-since", !hooks.webhooks.empty() || !command.empty()));
  return hooks;
}

}  // namespace trainyard::jobs
