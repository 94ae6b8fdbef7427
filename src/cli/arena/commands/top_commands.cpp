#include "cli/arena/nodes/gpu_metrics.h"
#include "cli/arena/nodes/node_view.h"
#include "cli/arena/views/job_json.h"
#include "cli/arena/views/load_jobs.h"
#include "cli/arena/views/local_time.h"
#include "cli/arena/views/top_job_view.h"
#include "cli/arena/views/view_commands.h"

#include <fmt/format.h>

#include <cstdio>

namespace trainyard::cli::arena {
namespace {

using namespace std::chrono_literals;

struct TopNodeFlags {
  std::string output;
  std::string mode;
  bool details = false;
  bool refresh = false;
  bool share = false;
  bool ignored = false;
};

struct TopJobFlags {
  std::string type;
  std::string output;
  std::string instance;
  bool all_namespaces = false;
  bool refresh = false;
};

awaitable<Result<>> pause(Clock& clock) {
  co_await clock.sleep_for(2s);
  co_return Ok();
}

/// Prints again and again, each time below a line that tells when, until the user has seen enough.
Result<int> repeat(Context& context, const std::function<Result<std::string>()>& make_text) {
  TRY(Session* const session, context.session());
  while (true) {
    TRY(const std::string text, make_text());
    print_text(text);
    print_text(fmt::format("---- {} {}\n", local_time_text(session->clock().wall()),
                           std::string(66, '-')));
    std::fflush(stdout);
    TRY_OK(session->run(pause(session->clock())));
  }
}

Result<std::string> top_node_text(Context& context, const std::vector<std::string>& names,
                                  const TopNodeFlags& flags) {
  TRY(const std::optional<GpuMode> mode, parse_gpu_mode(flags.share ? "s" : flags.mode));
  TRY(const std::vector<ObjectPtr> nodes, load_all(context, kNodes, true));
  TRY(const std::vector<ObjectPtr> pods, load_all(context, kPods, true, "", kLivePods));
  TRY(std::vector<NodeUse> uses, choose_nodes(node_uses(nodes, pods), names, mode));
  if (flags.output == "json" || flags.output == "yaml") {
    return formatted(nodes_json(uses), flags.output);
  }
  if (flags.details) return node_details(uses);
  const bool totals = names.empty();
  return flags.output == "wide" ? wide_node_table(std::move(uses), totals)
                                : node_table(uses, totals);
}

Result<int> top_node(Context& context, const std::vector<std::string>& names,
                     const TopNodeFlags& flags) {
  TRY_OK(check_output(flags.output));
  if (flags.refresh && (!flags.details || names.size() != 1)) {
    return Error(Code::kInvalid, "-r, --refresh needs -d and the name of one node");
  }
  if (flags.refresh) {
    return repeat(context, [&] { return top_node_text(context, names, flags); });
  }
  TRY(const std::string text, top_node_text(context, names, flags));
  print_text(text);
  return 0;
}

Result<int> top_all_jobs(Context& context, const TopJobFlags& flags) {
  JobQuery query;
  TRY(query.types, types_meant(flags.type));
  query.all_namespaces = flags.all_namespaces;
  query.gpus_and_ends = true;
  TRY(std::vector<TrainingJob> jobs, load_jobs(context, query));
  sort_by_gpus(jobs);
  TRY(Session* const session, context.session());
  const WallTime now = session->clock().wall();
  if (flags.output == "json" || flags.output == "yaml") {
    JsonArray items;
    for (const TrainingJob& job : jobs) items.push_back(job_json(job, "", now));
    print_text(formatted(items, flags.output));
    return 0;
  }
  print_text(top_jobs_table(jobs, now, {flags.all_namespaces, flags.output == "wide"}));
  return 0;
}

Result<std::string> top_job_text(Context& context, const std::string& name,
                                 const TopJobFlags& flags) {
  TRY(const TrainingJob job, load_job(context, name, flags.type));
  if (!flags.instance.empty()) {
    const bool there = std::any_of(job.pods.begin(), job.pods.end(), [&](const ObjectPtr& pod) {
      return name_of(pod->body()) == flags.instance;
    });
    if (!there) {
      return Error(Code::kNotFound,
                   fmt::format("the job {} has no instance {}: `arena get {}` shows those that it "
                               "has",
                               name, flags.instance, name));
    }
  }
  TRY(Session* const session, context.session());
  const WallTime now = session->clock().wall();
  if (flags.output == "json" || flags.output == "yaml") {
    return formatted(job_json(job, "", now), flags.output);
  }
  const GpuSamples samples = load_gpu_samples(context, job);
  return flags.output == "wide" ? wide_top_instances(job, samples, flags.instance, now)
                                : top_instances_table(job, samples, flags.instance);
}

Result<int> top_one_job(Context& context, const std::string& name, const TopJobFlags& flags) {
  if (flags.refresh) {
    return repeat(context, [&] { return top_job_text(context, name, flags); });
  }
  TRY(const std::string text, top_job_text(context, name, flags));
  print_text(text);
  return 0;
}

Result<int> top_job(Context& context, const Command::Words& words, const TopJobFlags& flags) {
  TRY_OK(check_output(flags.output));
  if (!words.empty()) return top_one_job(context, words.front(), flags);
  if (flags.refresh || !flags.instance.empty()) {
    return Error(Code::kInvalid, flags.refresh ? "-r, --refresh needs the name of a job"
                                               : "-i, --instance needs the name of a job");
  }
  return top_all_jobs(context, flags);
}

void add_top_node(Command& top) {
  const auto options = std::make_shared<TopNodeFlags>();
  Command& node = top.add("node", "Show nodes, and how many of their GPUs are taken.");
  node.usage = "[NODE...]";
  node.most_words = Command::kAnyNumber;
  node.flags.toggle("details", 'd', options->details, "with the pods that have GPUs");
  add_output_flag(node.flags, options->output);
  node.flags.text("gpu-mode", 'm', options->mode, "MODE",
                  "only nodes that give out GPUs like that: n (none), e (exclusive), t (topology) "
                  "or s (share)");
  node.flags.toggle("gpushare", 's', options->share, "only nodes that share GPUs: -m s");
  node.flags.toggle("refresh", 'r', options->refresh, "with -d and one node: every 2 s");
  // `arena top job JOB` tells how busy GPUs are; scripts that ask for it here are not refused.
  node.flags.toggle("metric", 0, options->ignored, "").hide();
  node.example =
      "arena top node\n"
      "arena top node -d node-3";
  node.run = [options](Context& context, const Command::Words& words) {
    return top_node(context, words, *options);
  };
}

void add_top_job(Command& top) {
  const auto options = std::make_shared<TopJobFlags>();
  Command& job = top.add("job", "Show jobs and their GPUs, or the instances of one.");
  job.usage = "[JOB]";
  job.most_words = 1;
  job.offer = Offer::kJob;
  add_namespaces_flag(job.flags, options->all_namespaces);
  add_type_flag(job.flags, options->type);
  add_output_flag(job.flags, options->output);
  job.flags.text("instance", 'i', options->instance, "POD", "with JOB: only this instance")
      .offering(Offer::kInstance);
  job.flags.toggle("refresh", 'r', options->refresh, "with JOB: every 2 s");
  job.example =
      "arena top job\n"
      "arena top job mnist";
  job.run = [options](Context& context, const Command::Words& words) {
    return top_job(context, words, *options);
  };
}

}  // namespace

void add_top_commands(Command& root) {
  Command& top = root.add("top", "Show who has GPUs.");
  add_top_node(top);
  add_top_job(top);
}

}  // namespace trainyard::cli::arena
