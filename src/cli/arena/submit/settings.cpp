#include "cli/arena/submit/settings.h"

#include "cli/arena/submit/setting_values.h"
#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

constexpr std::size_t kLongestName = 49;

Error invalid_flag(const std::string& flag, const std::string& why) {
  return wrong(fmt::format("--{} is invalid: {}", flag, why));
}

Result<> check_quantity(const std::string& flag, const std::string& text) {
  if (text.empty()) return Ok();
  const auto amount = Quantity::parse(text);
  if (amount && *amount >= Quantity()) return Ok();
  return invalid_flag(flag, fmt::format("\"{}\" is no amount such as 500m, 2 or 4Gi", text));
}

Result<> check_images(const SubmitOptions& o, const TrainingType& type) {
  const bool other = type.name != "mpijob" && !o.worker.image.empty();
  if (o.image.empty() && !other)
    return wrong("--image must be set: the image that the training runs in");
  if (type.name != "tfjob") return Ok();
  if (o.ps_count > 0 && o.image.empty() && o.ps.image.empty()) {
    return wrong("--image or --ps-image must be set: the image of the parameter servers");
  }
  return Ok();
}

Result<> check_policy(const SubmitOptions& o) {
  for (const char* known : {"None", "Running", "All"}) {
    if (o.clean_policy == known) return Ok();
  }
  return wrong(fmt::format("unsupported --clean-task-policy {}: it can be None, Running or All",
                           o.clean_policy));
}

Result<> check_counts(const SubmitOptions& o, const TrainingType& type) {
  const std::pair<const char*, std::int64_t> counts[] = {{"gpus", o.gpus},
                                                         {"workers", o.workers},
                                                         {"retry", o.retry},
                                                         {"ps", o.ps_count},
                                                         {"ps-gpus", o.ps_gpus}};
  for (const auto& [flag, count] : counts) {
    if (count < 0) return invalid_flag(flag, fmt::format("{} is below 0", count));
  }
  if (type.name == "tfjob" && o.workers == 0 && !o.has_chief) {
    return wrong("--workers 0 needs --chief: somebody must train");
  }
  return Ok();
}

Result<> check_role(const RoleOptions& role, const std::string& name) {
  TRY_OK(check_quantity(name + "-cpu", role.cpu));
  TRY_OK(check_quantity(name + "-cpu-limit", role.cpu_limit));
  TRY_OK(check_quantity(name + "-memory", role.memory));
  TRY_OK(check_quantity(name + "-memory-limit", role.memory_limit));
  if (role.port >= 0 && role.port <= 65535) return Ok();
  return invalid_flag(name + "-port", fmt::format("{} is no port", role.port));
}

Result<> check_amounts(const SubmitOptions& o) {
  TRY_OK(check_quantity("cpu", o.cpu));
  TRY_OK(check_quantity("memory", o.memory));
  TRY_OK(check_quantity("share-memory", o.share_memory));
  const std::pair<const char*, std::chrono::nanoseconds> times[] = {
      {"running-timeout", o.running_timeout},
      {"starting-timeout", o.starting_timeout},
      {"ttl-after-finished", o.ttl}};
  for (const auto& [flag, time] : times) {
    if (time.count() < 0) return invalid_flag(flag, "a time below 0");
  }
  const std::string& nproc = o.nproc_per_node;
  const bool number = !nproc.empty() && nproc.size() < 10 &&
                      nproc.find_first_not_of("0123456789") == std::string::npos;
  if (!nproc.empty() && !number && nproc != "auto" && nproc != "cpu" && nproc != "gpu") {
    return invalid_flag("nproc-per-node",
                        fmt::format("\"{}\" is neither auto, cpu, gpu nor a number", nproc));
  }
  TRY_OK(check_role(o.worker, "worker"));
  TRY_OK(check_role(o.ps, "ps"));
  TRY_OK(check_role(o.chief, "chief"));
  return check_role(o.evaluator, "evaluator");
}

Result<> check_success_policy(const SubmitOptions& o) {
  if (o.success_policy == "ChiefWorker" || o.success_policy == "AllWorkers") return Ok();
  return wrong(fmt::format("unsupported --success-policy {}: it can be ChiefWorker or AllWorkers",
                           o.success_policy));
}

Result<SyncMode> read_sync(const SubmitOptions& o) {
  if (o.sync_mode.empty()) return SyncMode::kNone;
  if (o.sync_source.empty()) {
    return wrong(fmt::format("--sync-mode {} needs --sync-source: where the code is", o.sync_mode));
  }
  if (o.sync_mode == "git") return SyncMode::kGit;
  if (o.sync_mode == "rsync") return SyncMode::kRsync;
  if (o.sync_mode == "upload") return SyncMode::kUpload;
  return Error(Code::kUnsupported,
               fmt::format("unknown sync mode {}: it can be git, rsync or upload", o.sync_mode));
}

/// What people write as KEY=VALUE.
Result<> read_all_pairs(Settings& s) {
  const SubmitOptions& o = s.options;
  TRY(s.env, read_pairs(o.env, "env"));
  TRY(s.secret_env, read_pairs(o.env_from_secret, "env-from-secret"));
  TRY(s.annotations, read_pairs(o.annotations, "annotation"));
  TRY(s.labels, read_pairs(o.labels, "label"));
  TRY(s.selector, read_pairs(o.selectors, "selector"));
  TRY(s.tolerations, read_tolerations(o.tolerations));
  for (const RoleOptions* role : {&o.worker, &o.ps, &o.chief, &o.evaluator}) {
    TRY_OK(read_pairs(role->selectors, "…-selector"));
  }
  return Ok();
}

}  // namespace

Result<> check_name(const std::string& name) {
  if (name.size() > kLongestName) {
    return wrong(fmt::format("the name {} is too long: {} letters, at most {} are allowed", name,
                             name.size(), kLongestName));
  }
  const auto plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
  };
  const bool good = !name.empty() && plain(name.front()) && plain(name.back()) &&
                    std::all_of(name.begin(), name.end(),
                                [&](char letter) { return plain(letter) || letter == '-'; });
  if (good) return Ok();
  return wrong(
      fmt::format("the name \"{}\" may have lower-case letters, digits and '-' only, and "
                  "must begin and end with a letter or digit",
                  name));
}

Result<Settings> read_settings(const SubmitOptions& options, const TrainingType& type,
                               const Config& config, const ReadLocal& read_local) {
  Settings s;
  s.options = options;
  TRY_OK(check_images(options, type));
  TRY_OK(check_policy(options));
  TRY_OK(check_counts(options, type));
  TRY_OK(check_amounts(options));
  TRY(s.claims, read_claims(options.data));
  TRY(s.hosts, read_host_folders(options.data_dirs));
  TRY(s.devices, read_devices(options.devices));
  TRY(s.configs, read_config_files(options.config_files, read_local));
  TRY(s.sync, read_sync(options));
  if (!options.model_name.empty() && options.model_source.empty()) {
    return wrong("--model-name needs --model-source: where the model is");
  }
  TRY_OK(check_success_policy(options));
  if (s.options.role_sequence.empty()) {
    s.options.role_sequence = config.get("tfjob_role_sequence");
  }
  if (type.name == "tfjob") {
    TRY(s.options.role_sequence, read_role_sequence(s.options.role_sequence));
  }
  TRY_OK(read_all_pairs(s));
  if (s.options.pull_secrets.empty()) s.options.pull_secrets = config.get_list("imagePullSecrets");
  // 0 is how some write "only the master"; of MPI it would be a launcher with nothing to launch on.
  if (type.name != "tfjob") s.options.workers = std::max<std::int64_t>(1, options.workers);
  return s;
}

}  // namespace trainyard::cli::arena
