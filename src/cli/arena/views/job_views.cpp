#include "cli/arena/nodes/gpu_metrics.h"
#include "cli/arena/views/event_table.h"
#include "cli/arena/views/get_view.h"
#include "cli/arena/views/job_json.h"
#include "cli/arena/views/list_view.h"
#include "cli/arena/views/load_jobs.h"
#include "cli/arena/views/tensorboard_address.h"
#include "cli/arena/views/view_commands.h"

#include <fmt/format.h>

namespace trainyard::cli::arena {
namespace {

struct ListFlags {
  std::string type;
  std::string output;
  bool all_namespaces = false;
};

struct GetFlags {
  std::string type;
  std::string output;
  bool events = false;
  bool gpus = false;
};

/// Where TensorBoards answer: Services and, only when there are some, nodes.
struct Addresses {
  std::vector<ObjectPtr> services;
  std::vector<ObjectPtr> nodes;
};

Result<Addresses> load_addresses(Context& context, bool all_namespaces,
                                 const std::string& selector) {
  Addresses found;
  TRY(found.services, load_all(context, kServices, all_namespaces, selector));
  if (found.services.empty()) return found;
  auto nodes = load_all(context, kNodes, true);
  // Who may not look at nodes gets everything but this address.
  if (!nodes && !nodes.failed_with(Code::kForbidden)) return std::move(nodes).error();
  if (nodes) found.nodes = *std::move(nodes);
  return found;
}

Result<int> print_list(Context& context, const ListFlags& flags) {
  TRY_OK(check_output(flags.output));
  JobQuery query;
  TRY(query.types, types_meant(flags.type));
  query.all_namespaces = flags.all_namespaces;
  query.gpus_and_ends = !flags.output.empty();
  TRY(std::vector<TrainingJob> jobs, load_jobs(context, query));
  sort_newest_first(jobs);
  TRY(Session* const session, context.session());
  const WallTime now = session->clock().wall();
  if (flags.output.empty() || flags.output == "wide") {
    print_text(list_table(jobs, now, {flags.all_namespaces, flags.output == "wide"}));
    return 0;
  }
  TRY(const Addresses addresses,
      load_addresses(context, flags.all_namespaces, kTensorboardServices));
  JsonArray items;
  for (const TrainingJob& job : jobs) {
    items.push_back(
        job_json(job, tensorboard_address(job, addresses.services, addresses.nodes), now));
  }
  print_text(formatted(items, flags.output));
  return 0;
}

Result<int> print_job(Context& context, const std::string& name, const GetFlags& flags) {
  TRY_OK(check_output(flags.output, true));
  TRY(const TrainingJob job, load_job(context, name, flags.type));
  if (flags.output == "name") {
    print_text(job.name() + "\n");
    return 0;
  }
  TRY(const Addresses addresses,
      load_addresses(context, false, fmt::format("role=tensorboard,release={}", name)));
  TRY(Session* const session, context.session());
  const WallTime now = session->clock().wall();
  JobExtras extras;
  extras.tensorboard = tensorboard_address(job, addresses.services, addresses.nodes);
  extras.show_events = flags.events;
  extras.show_gpus = flags.gpus && flags.output == "wide";
  if (extras.show_gpus && requested_gpus(job) > 0) extras.gpus = load_gpu_samples(context, job);
  if (flags.output == "json" || flags.output == "yaml") {
    print_text(formatted(job_json(job, extras.tensorboard, now), flags.output));
    return 0;
  }
  const bool waits = effective_status(job) == "PENDING";
  if (flags.events || (waits && pending_reason(job, {}).empty())) {
    auto events = load_all(context, kEvents, false);
    if (!events && flags.events) return std::move(events).error();
    if (events) extras.events = *std::move(events);
  }
  print_text(flags.output == "wide" ? wide_job(job, extras, now) : classic_job(job, extras, now));
  // Beside the table, so that scripts which read it find what they know.
  if (const std::string reason = waits ? pending_reason(job, extras.events) : ""; !reason.empty()) {
    std::fflush(stdout);
    context.log().info(fmt::format("{} is PENDING: {}", job.name(), reason));
  }
  return 0;
}

}  // namespace

void add_list_command(Command& root) {
  const auto options = std::make_shared<ListFlags>();
  Command& list = root.add("list", "List jobs, the newest first.");
  list.aliases = {"ls"};
  add_namespaces_flag(list.flags, options->all_namespaces);
  add_type_flag(list.flags, options->type);
  add_output_flag(list.flags, options->output);
  list.example =
      "arena list\n"
      "arena list -A -o wide\n"
      "arena list --type pytorch -o json";
  list.run = [options](Context& context, const Command::Words&) {
    return print_list(context, *options);
  };
}

void add_get_command(Command& root) {
  const auto options = std::make_shared<GetFlags>();
  Command& get = root.add("get", "Show a job and its instances.");
  get.usage = "JOB";
  get.least_words = get.most_words = 1;
  get.missing = "the name of the job is missing";
  get.offer = Offer::kJob;
  add_type_flag(get.flags, options->type);
  get.flags.toggle("events", 'e', options->events, "with the events of its instances");
  get.flags.toggle("gpus", 'g', options->gpus, "with -o wide: the GPUs of its instances");
  add_output_flag(get.flags, options->output);
  get.notes = "What a job waits for is said on standard error.";
  get.example =
      "arena get mnist\n"
      "arena get mnist -e\n"
      "arena get mnist -o wide";
  get.run = [options](Context& context, const Command::Words& words) {
    return print_job(context, words.front(), *options);
  };
}

}  // namespace trainyard::cli::arena
