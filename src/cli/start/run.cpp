#include "cli/command/commands.h"
#include "cli/start/creation.h"
#include "cli/start/job_end.h"
#include "cli/start/run_job.h"
#include "cli/terminal/confirm.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <filesystem>
#include <thread>
#include <unistd.h>

namespace trainyard::cli {
namespace {

Result<Surroundings> look_around() {
  Surroundings here;
  std::error_code failed;
  here.folder = std::filesystem::current_path(failed).string();
  if (failed) {
    return Error(Code::kNotFound, fmt::format("the current folder is gone: {}", failed.message()));
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos)
      here.environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  here.cores = std::max(1U, std::thread::hardware_concurrency());
  return here;
}

/// Without a terminal a server is started only where --yes says so.
Result<> offer_server(const Flags& flags, bool yes) {
  const Error none(Code::kUnavailable,
                   "no server runs here: add --yes to start one, or start it with `trainyard up "
                   "--detach`, or name a cluster with --kubeconfig");
  if (!yes && ::isatty(STDIN_FILENO) != 1) return none;
  if (!yes && !agrees(fmt::format("no server runs here: start one, with its data in {}?",
                                  flags.data_dir.string()))) {
    return none;
  }
  UpOptions up;
  up.data_dir = flags.data_dir;
  TRY_OK(start_server(up));
  fmt::print(stderr,
             "a server runs now: `trainyard open` shows its console, `trainyard down` ends "
             "it\n");
  return Ok();
}

}  // namespace

Result<int> run_command(const Flags& flags, const RunOptions& options) {
  TRY(const Surroundings here, look_around());
  TRY(Json job, make_run_job(options, here));
  if (options.dry_run) {
    fmt::print("{}\n", flags.output == "json" ? to_pretty_text(job) : to_yaml(job));
    return 0;
  }
  if (Session::finds_none(flags)) TRY_OK(offer_server(flags, options.yes));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  auto created = session->run(create_object(*session, std::move(job)));
  if (created.failed_with(Code::kForbidden) && options.volume.empty()) {
    return Error(Code::kForbidden,
                 fmt::format("{}: put your files in a volume (`trainyard data create NAME`, "
                             "`trainyard data cp . NAME:`) and add --volume NAME",
                             created.error().message()));
  }
  if (!created) return std::move(created).error();
  const std::string name = created->key().name;
  if (options.detach) {
    fmt::print("{}\n", name);
    return 0;
  }
  fmt::print(stderr, "job {} created\n", name);
  return follow_to_end(*session, *created, OnInterrupt::kStop);
}

}  // namespace trainyard::cli
