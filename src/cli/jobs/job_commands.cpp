#include "cli/jobs/job_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace trainyard::cli {
namespace {

constexpr const char* kJob = "the job's name; KIND/NAME where several kinds have it";
constexpr const char* kJobs = "the jobs' names; KIND/NAME where several kinds have one";

void add_output(CLI::App* sub, std::string& output, std::vector<std::string> formats,
                const char* help) {
  sub->add_option("-o,--output", output, help)->check(CLI::IsMember(std::move(formats)));
}

/// Elsewhere -n is the namespace: who writes a word there means that.
std::string is_a_number_of_processes(const std::string& value) {
  const bool number =
      !value.empty() && value.find_first_not_of("+-0123456789") == std::string::npos;
  if (number) return "";
  return fmt::format(
      "{0} is no number of processes, which -n means here; the namespace is --namespace {0}",
      value);
}

}  // namespace

void JobCommands::add(const AddCommand& add_command) {
  add_run(add_command);
  add_submit(add_command);
  add_views(add_command);
  add_logs(add_command);
  add_stacks(add_command);
  add_scalars(add_command);
  add_wait(add_command);
  add_changes(add_command);
  add_debug(add_command);
  add_delete(add_command);
  add_explain(add_command);
}

void JobCommands::add_explain(const AddCommand& add_command) {
  CLI::App* sub = add_command(
      "explain", "Say in words what a job will do when a pod fails, is killed, ends, is lost …",
      [this] { return explain(flags_, explained_); });
  sub->add_option("-f,--file", explained_, "the job in this file; - is standard input")->required();
  add_output(sub, flags_.output, {"json", "yaml"}, "json or yaml");
  sub->footer(
      "Nothing is created, and no server is asked: the job is rehearsed with the rules that run\n"
      "it.\n\n"
      "Examples:\n"
      "  trainyard explain -f job.yaml\n"
      "  trainyard run -n 4 --dry-run -- python train.py | trainyard explain -f -");
}

void JobCommands::add_run(const AddCommand& add_command) {
  CLI::App* run = add_command("run", "Run a command in the current folder as a job, and follow it.",
                              [this] { return run_command(flags_, run_); });
  // Only for the help: what is typed there never reaches the parser (run_line.h).
  run->add_option("command", run_.command, "what to run, with its arguments, behind --");
  run->add_option("-n,--replicas", run_.replicas, "how many processes")
      ->check(is_a_number_of_processes)
      ->capture_default_str();
  run->add_flag("--torchrun", run_.torchrun,
                "one replica in which torchrun starts them, instead of a replica each");
  run->add_option("--name", run_.name, "the job's name, instead of one made from the command");
  run->add_option("--cpu", run_.cpu, "cores of each replica, such as 2 or 500m");
  run->add_option("--memory", run_.memory, "memory of each replica, such as 4Gi");
  run->add_option("--gpus", run_.gpus, "GPUs of each replica")->check(CLI::NonNegativeNumber);
  run->add_option("--env", run_.env, "NAME=VALUE, or NAME to pass it on (may be repeated)")
      ->allow_extra_args(false);
  run->add_option("--volume", run_.volume, "work in this volume instead of the current folder");
  run->add_option("--image", run_.image, "the environment, as `trainyard image list` names it")
      ->capture_default_str();
  run->add_option("--retries", run_.retries, "start all anew so often when a process fails")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  run->add_flag("-d,--detach", run_.detach, "print the job's name and leave it running");
  run->add_flag("--dry-run", run_.dry_run, "only print the job");
  run->add_flag("-y,--yes", run_.yes, "where no server runs, start one without asking");
  add_output(run, flags_.output, {"json", "yaml"}, "with --dry-run: yaml (as it is) or json");
  run->footer(
      "Each process has RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, the files of the current\n"
      "folder and the Python of the shell that this is typed in. Ctrl-C stops the job; the exit\n"
      "code is that of the program.\n\n"
      "Examples:\n"
      "  trainyard run -- python train.py --epochs 3\n"
      "  trainyard run -n 4 -- python train.py          4 replicas that meet by MASTER_ADDR\n"
      "  trainyard run -n 4 --torchrun -- python train.py\n"
      "  trainyard run -n 4 --memory 2Gi --dry-run -- python train.py > job.yaml");
}

void JobCommands::add_submit(const AddCommand& add_command) {
  CLI::App* sub = add_command("submit", "Create what a YAML file describes.",
                              [this] { return submit(flags_, submit_); });
  sub->add_option("-f,--file", submit_.files, "the file; - for standard input (may be repeated)")
      ->required()
      ->allow_extra_args(false);
  sub->add_flag("--follow", submit_.follow, "print the job's log until it has finished");
  add_output(sub, flags_.output, {"json", "yaml", "name"}, "json, yaml or name");
  sub->footer(
      "A file may hold several objects, parted by lines of ---. With --follow the exit code is 0\n"
      "when all its jobs have succeeded; Ctrl-C leaves them running.\n\n"
      "Examples:\n"
      "  trainyard submit -f examples/ddp-mnist/job.yaml --follow\n"
      "  trainyard run -n 4 --dry-run -- python train.py | trainyard submit -f -");
}

void JobCommands::add_views(const AddCommand& add_command) {
  CLI::App* list_jobs = add_command("list", "List jobs of all kinds, the newest first.",
                                    [this] { return list(flags_, labels_); });
  list_jobs->add_flag("-A,--all-namespaces", flags_.all_namespaces, "of all namespaces");
  list_jobs->add_option("-l,--selector", labels_, "only those with these labels, such as a=b");
  add_output(list_jobs, flags_.output, {"json", "yaml", "wide", "name"},
             "json, yaml, name, or wide: with resources and reasons");
  list_jobs->footer(
      "Examples:\n"
      "  trainyard list -A -o wide\n"
      "  trainyard delete $(trainyard list -l team=vision -o name)");
  CLI::App* one = add_command("get", "Show jobs: phase, reason, replicas, conditions, events.",
                              [this] { return get(flags_, names_); });
  one->add_option("jobs", names_, kJobs);
  add_output(one, flags_.output, {"json", "yaml", "wide", "name"},
             "json, yaml, name, or wide: with nodes and times");
  CLI::App* all = add_command("describe", "Tell everything about jobs in words.",
                              [this] { return describe(flags_, names_); });
  all->add_option("jobs", names_, kJobs)->required();
}

void JobCommands::add_logs(const AddCommand& add_command) {
  CLI::App* sub = add_command("logs", "Print the logs of a job's replicas.",
                              [this] { return logs(flags_, logs_); });
  sub->add_option("job", logs_.job, kJob)->required();
  sub->add_option("-i,--replica", logs_.replica,
                  "one replica only, such as worker-0, or a type of them");
  sub->add_flag("-f,--follow", logs_.follow, "until the job has finished");
  sub->add_flag("-a,--all", logs_.all, "of all attempts, also those before a restart");
  sub->add_flag("-p,--previous", logs_.previous,
                "of the attempt before the last, also when its pod is gone");
  sub->add_option("--tail", logs_.tail, "only the last lines of each replica")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--since", logs_.since, "only what is not older than this, such as 10m");
  sub->add_flag("-t,--timestamps", logs_.timestamps, "the time before each line");
  sub->footer(
      "Lines of several replicas come in the order of their times, each behind the name of its\n"
      "replica; on a terminal each has a colour (NO_COLOR=1: none). Logs of deleted jobs are kept\n"
      "for a while.\n\n"
      "Examples:\n"
      "  trainyard logs -f JOB\n"
      "  trainyard logs JOB -i worker-2 --tail 20\n"
      "  trainyard logs JOB --all               also what was written before a restart");
}

void JobCommands::add_stacks(const AddCommand& add_command) {
  CLI::App* sub = add_command("stacks", "Show where the ranks of a job are: their Python stacks.",
                              [this] { return stacks(flags_, stacked_, all_threads_); });
  sub->add_option("job", stacked_, kJob)->required();
  sub->add_flag("-a,--all-threads", all_threads_, "not only each rank's main thread");
  add_output(sub, flags_.output, {"json", "yaml"}, "json or yaml");
  sub->footer(
      "Ranks that are in the same place stand together, the innermost frame first; behind each is\n"
      "what the kernel says that it waits in. The job goes on meanwhile. Its condition Stalled "
      "says\n"
      "by itself when a rank has done nothing for long (`trainyard up --stall-after`); the\n"
      "annotation trainyard.dev/stall-after on its pods has another limit for one job.\n\n"
      "Examples:\n"
      "  trainyard stacks JOB\n"
      "  trainyard stacks JOB -o json");
}

void JobCommands::add_scalars(const AddCommand& add_command) {
  CLI::App* sub = add_command("scalars", "Show the curves that a job has written for TensorBoard.",
                              [this] { return scalars(flags_, scalars_); });
  sub->add_option("job", scalars_.job, kJob);
  sub->add_option("--logdir", scalars_.log_folder,
                  "a folder with event files, or VOLUME:PATH, instead of a job's");
  sub->add_option("--tag", scalars_.tags,
                  "only this curve, such as train/loss or 'train/*' (may be repeated)")
      ->allow_extra_args(false);
  CLI::Option* csv =
      sub->add_flag("--csv", scalars_.csv, "every point: run,tag,step,wall_time,value");
  CLI::Option* plot = sub->add_flag("--plot", scalars_.plot, "draw them here");
  sub->add_flag("-f,--follow", scalars_.follow, "with --csv: go on with points as they are written")
      ->needs(csv);
  CLI::Option* output =
      sub->add_option("-o,--output", flags_.output,
                      "json: points, histograms, images' sizes, texts, hyperparameters")
          ->check(CLI::IsMember({"json"}));
  csv->excludes(plot)->excludes(output);
  plot->excludes(output);
  sub->footer(
      "A job says in spec.tensorboardSpec.logDir where its event files are. What cannot be read "
      "of\n"
      "them is skipped, and counted on standard error.\n\n"
      "Examples:\n"
      "  trainyard scalars JOB                       what there is, with the last values\n"
      "  trainyard scalars JOB --tag loss --plot\n"
      "  trainyard scalars --logdir runs --csv > curves.csv\n"
      "  trainyard scalars --logdir shared:mnist/log");
}

void JobCommands::add_wait(const AddCommand& add_command) {
  CLI::App* sub = add_command("wait", "Wait until jobs have come so far.",
                              [this] { return wait(flags_, wait_); });
  sub->add_option("jobs", wait_.jobs, kJobs)->required();
  sub->add_option("--for", wait_.goal,
                  "Running, Succeeded, Failed, Completed (either), Paused or Deleted")
      ->capture_default_str();
  sub->add_option("--timeout", wait_.timeout, "no longer than this, such as 30s or 1h30m")
      ->capture_default_str();
  sub->footer(
      "Exits with 0 when they have, with 1 as soon as one no longer can, with 2 when the time is\n"
      "over.\n\n"
      "Example:\n"
      "  trainyard wait JOB --timeout 2h && trainyard data cp shared:model.pt .");
}

void JobCommands::add_changes(const AddCommand& add_command) {
  CLI::App* hold = add_command("pause", "Stop the pods of jobs for now, and keep the jobs.",
                               [this] { return pause(flags_, names_); });
  hold->add_option("jobs", names_, kJobs)->required();
  CLI::App* go_on = add_command("resume", "Let paused jobs go on, from what their programs saved.",
                                [this] { return resume(flags_, names_); });
  go_on->add_option("jobs", names_, kJobs)->required();
  CLI::App* sub = add_command("scale", "Change the number of replicas of an elastic job.",
                              [this] { return scale(flags_, scaled_, replicas_); });
  sub->add_option("job", scaled_, kJob)->required();
  sub->add_option("replicas", replicas_, "how many are wanted")->required();
  sub->footer("Example: trainyard scale JOB 3");
}

void JobCommands::add_debug(const AddCommand& add_command) {
  CLI::App* sub =
      add_command("debug", "Bring up a job's pods without the training, to look around in them.",
                  [this] { return debug(flags_, debug_); });
  sub->add_option("job", debug_.job, kJob);
  sub->add_option("-f,--file", debug_.file, "the job in this file, in place of one that exists");
  sub->add_flag("--replace", debug_.replace,
                "delete the job and create it again in debug mode, instead of a copy JOB-debug");
  sub->add_flag("-y,--yes", debug_.yes, "do not ask");
  sub->footer(
      "The pods have the same environment, volumes and variables; in place of the training they\n"
      "sleep. The job itself is left alone: the copy is called JOB-debug.\n\n"
      "Examples:\n"
      "  trainyard debug JOB\n"
      "  trainyard debug -f job.yaml");
}

void JobCommands::add_delete(const AddCommand& add_command) {
  CLI::App* sub = add_command("delete", "Delete jobs with all that belongs to them; volumes stay.",
                              [this] { return remove(flags_, delete_); });
  sub->add_option("jobs", delete_.jobs, kJobs);
  sub->add_flag("--all", delete_.all, "all jobs of the namespace");
  sub->add_flag("-y,--yes", delete_.yes, "do not ask");
}

}  // namespace trainyard::cli
