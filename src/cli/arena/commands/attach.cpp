#include "cli/arena/commands.h"
#include "cli/arena/commands/shell_session.h"
#include "cli/arena/views/load_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

/// `arena attach JOB [CMD…]`: a shell in a pod of a job.
namespace trainyard::cli::arena {
namespace {

struct AttachOptions {
  std::string instance;
  std::string container;
  std::string type;
};

Result<const Json*> choose_pod(const TrainingJob& job, const std::string& instance) {
  if (job.pods.empty()) {
    return Error(Code::kNotFound, fmt::format("the job {} has no instances", job.name()));
  }
  const Json* pod = nullptr;
  if (instance.empty()) {
    pod = job.pods.size() == 1 ? &job.pods.front()->body() : chief_of(job);
  } else {
    const auto found = std::find_if(job.pods.begin(), job.pods.end(), [&](const ObjectPtr& one) {
      return name_of(one->body()) == instance;
    });
    if (found != job.pods.end()) pod = &(*found)->body();
  }
  if (pod == nullptr) {
    return Error(Code::kNotFound,
                 instance.empty()
                     ? fmt::format("say which instance of {} with -i: `arena get {}` shows them",
                                   job.name(), job.name())
                     : fmt::format("{} is no instance of the job {}: `arena get {}` shows them",
                                   instance, job.name(), job.name()));
  }
  const std::string_view phase = string_at(*pod, "status.phase");
  if (phase != "Succeeded" && phase != "Failed") return pod;
  return Error(Code::kConflict, fmt::format("the instance {} is over (its phase is {}): nothing "
                                            "runs in it any more",
                                            name_of(*pod), phase));
}

Result<int> attach(Context& context, const AttachOptions& options, const Command::Words& words) {
  TRY(const TrainingJob job, load_job(context, words.front(), options.type));
  TRY(const Json* const pod, choose_pod(job, options.instance));
  const JsonArray& containers = array_at(*pod, "spec.containers");
  ShellCommand command;
  command.pod = key_of(*pod);
  command.container = options.container;
  if (command.container.empty() && !containers.empty()) {
    command.container = string_at(containers.front(), "name");
    if (containers.size() > 1) {
      fmt::print(stderr, "Defaulting to the container {} of {}\n", command.container,
                 command.pod.name);
    }
  }
  command.words.assign(words.begin() + 1, words.end());
  if (command.words.empty()) command.words = {"sh"};
  command.terminal = ::isatty(STDIN_FILENO) == 1;
  fmt::print(stderr, "Hello! Arena attach the container {} of instance {}\n", command.container,
             command.pod.name);
  if (!command.terminal) {
    fmt::print(stderr, "Standard input is no terminal: it is passed on as it is\n");
  }
  TRY(Session* const session, context.session());
  const RawTerminal raw(command.terminal);
  return session->run(talk_to_shell(session->api(), session->loop(), command));
}

}  // namespace

void add_attach_command(Command& root) {
  const auto options = std::make_shared<AttachOptions>();
  Command& command = root.add("attach", "Open a shell, or run a command, in a pod of a job.");
  command.usage = "JOB [-- COMMAND…]";
  command.least_words = 1;
  command.most_words = Command::kAnyNumber;
  command.missing = "say which job: arena attach JOB";
  command.offer = Offer::kJob;
  command.flags.text("instance", 'i', options->instance, "POD", "the pod (default: the chief)")
      .offering(Offer::kInstance);
  command.flags.text("container", 'c', options->container, "NAME",
                     "the container (default: the first)");
  command.flags.text("type", 'T', options->type, "TYPE", "of the job: tfjob, mpijob or pytorchjob")
      .offering(Offer::kType);
  command.example = "arena attach mnist\narena attach mnist -i mnist-worker-0 -- nvidia-smi -L";
  command.notes = "The exit code is that of the command.";
  command.run = [options](Context& context, const Command::Words& words) {
    return attach(context, *options, words);
  };
}

}  // namespace trainyard::cli::arena
