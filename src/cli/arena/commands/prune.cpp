#include "cli/arena/commands.h"
#include "cli/arena/go_duration.h"
#include "cli/arena/submit/deletion.h"
#include "cli/arena/views/load_jobs.h"
#include "cli/arena/views/span_text.h"

#include <fmt/format.h>

/// `arena prune --since TIME`: deletes jobs that are over.
namespace trainyard::cli::arena {
namespace {

struct PruneOptions {
  std::string since;
  bool all_namespaces = false;
};

Result<int> prune(Context& context, const PruneOptions& options) {
  if (options.since.empty()) {
    return Error(Code::kInvalid,
                 "--since is missing: say how old jobs must be, such as arena prune --since 24h");
  }
  TRY(const std::chrono::nanoseconds since, parse_go_duration(options.since));
  JobQuery query;
  query.types = training_types();
  query.all_namespaces = options.all_namespaces;
  TRY(const std::vector<TrainingJob> jobs, load_jobs(context, query));
  TRY(Session* const session, context.session());
  const WallTime now = session->clock().wall();
  int code = 0;
  std::size_t deleted = 0;
  for (const TrainingJob& job : jobs) {
    const std::string status = effective_status(job);
    if ((status != "SUCCEEDED" && status != "FAILED") || age_of(job, now) < since) continue;
    ++deleted;
    fmt::print("Delete {} {} with Age {}\n", job.type.name, job.name(),
               span_text(age_of(job, now)));
    // They were listed because the caller may see them.
    const auto gone = delete_job(context, Visibility(), Key{job.ns(), job.name()}, job.type.name);
    if (gone) continue;
    context.log().error(
        fmt::format("Failed to delete {}, the reason is: {}", job.name(), gone.error().message()));
    code = 1;
  }
  if (deleted == 0) fmt::print("No job need to be deleted\n");
  return code;
}

}  // namespace

void add_prune_command(Command& root) {
  const auto options = std::make_shared<PruneOptions>();
  Command& command = root.add("prune", "Delete jobs that have ended, from a certain age on.");
  command.flags.text("since", 's', options->since, "TIME",
                     "how old they must be at least, such as 24h");
  command.flags.toggle("all-namespaces", 'A', options->all_namespaces, "of all namespaces")
      .once_called("allNamespaces");
  command.example = "arena prune --since 24h";
  command.notes =
      "Only jobs that have succeeded or failed are deleted; those that wait or run stay.";
  command.run = [options](Context& context, const Command::Words&) {
    return prune(context, *options);
  };
}

}  // namespace trainyard::cli::arena
