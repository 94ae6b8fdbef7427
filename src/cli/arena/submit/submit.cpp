#include "cli/arena/submit/submit.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "cli/arena/code/upload.h"
#include "cli/arena/commands.h"
#include "cli/arena/submit/creation.h"
#include "cli/arena/submit/submission.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <unistd.h>

namespace trainyard::cli::arena {
namespace {

constexpr std::string_view kDefaultBoardImage = "tensorflow/tensorflow:1.12.0-devel";

Error unknown_priority(const std::string& name) {
  return Error(Code::kInvalid,
               fmt::format("there is no priority class {}: `kubectl get priorityclasses` lists "
                           "those there are",
                           name));
}

Result<> check_priority(Context& context, const std::string& name) {
  if (name.empty()) return Ok();
  TRY(Session* const session, context.session());
  const Resource classes{"scheduling.k8s.io", "v1", "priorityclasses"};
  const auto found = session->run(session->api().get(classes, Key{"", name}));
  if (found.failed_with(Code::kNotFound)) return unknown_priority(name);
  // Who may use one need not be allowed to look at it: creating the pods will tell.
  if (!found && !found.failed_with(Code::kForbidden)) return found.error();
  return Ok();
}

/// The flags, checked; an error is of the arguments.
Result<Settings> check_arguments(Context& context, const TrainingType& type,
                                 const SubmitOptions& options) {
  TRY_OK(check_name(options.name));
  TRY_OK(check_priority(context, options.priority));
  return read_settings(options, type, context.config(),
                       [](const std::string& path) { return read_file(path); });
}

std::string nine_digits() {
  std::string digits;
  while (digits.size() < 9) {
    for (const char letter : random_hex(16)) {
      if (letter >= '0' && letter <= '9' && digits.size() < 9) digits += letter;
    }
  }
  return digits;
}

/// Ours runs pods on its own machine, where they find our program.
Result<bool> is_embedded(Context& context) {
  TRY(Session* const session, context.session());
  TRY(const Json version, session->run(session->api().get_path("/version")));
  return string_at(version, "gitVersion").find("trainyard") != std::string_view::npos;
}

/// Images have a /root that everybody in them may use. A machine's is root's alone, and other
/// folders may not be there at all.
bool can_work_in(const std::string& folder) {
  return folder.empty() || ::access(folder.c_str(), R_OK | X_OK) == 0;
}

/// Which images the helpers of a job get: the flags', else the config file's.
Result<> choose_images(const Config& config, Submission& submission) {
  SubmitOptions& o = submission.settings.options;
  const std::string board = config.get("tensorboard_image");
  if (o.tensorboard_image == kDefaultBoardImage && !board.empty()) o.tensorboard_image = board;
  if (submission.settings.sync == SyncMode::kNone || !o.sync_image.empty()) return Ok();
  const char* key = submission.settings.sync == SyncMode::kGit ? "git_sync_image" : "rsync_image";
  o.sync_image = config.get(key);
  if (submission.embedded) o.sync_image = "host";  // the machine's own programs
  if (!o.sync_image.empty()) return Ok();
  return Error(Code::kInvalid,
               fmt::format("--sync-mode {} needs an image that fetches the code: name it with "
                           "--sync-image, or as {} in the config file",
                           o.sync_mode, key));
}

Result<Submission> prepare(Context& context, const TrainingType& type, Settings settings) {
  TRY_OK(context.session());
  Submission submission;
  submission.type = type;
  submission.settings = std::move(settings);
  submission.ns = context.ns();
  submission.log_digits = nine_digits();
  auto caller = context.caller();
  // An older cluster does not tell, and its jobs carry no owner's name.
  if (!caller && !caller.failed_with(Code::kUnsupported)) return std::move(caller).error();
  if (caller) submission.caller = *std::move(caller);
  const bool homeless = !can_work_in(submission.options().working_dir);
  const bool asks =
      homeless || submission.settings.sync != SyncMode::kNone || submission.options().tensorboard;
  if (asks) {
    TRY(submission.embedded, is_embedded(context));
  }
  submission.own_working_dir = submission.embedded && homeless;
  const bool uploads = submission.settings.sync == SyncMode::kUpload;
  if (uploads && !submission.embedded) {
    return Error(Code::kUnsupported,
                 "--sync-mode upload needs a Trainyard server: on other clusters use git or rsync");
  }
  TRY_OK(choose_images(context.config(), submission));
  if (!uploads) return submission;
  if (!submission.options().dry_run) {
    TRY(submission.code_listing,
        upload_code(context, submission.options().sync_source, submission.options().sync_volume));
  }
  return submission;
}

Result<int> submit(Context& context, const TrainingType& type, const SubmitOptions& options) {
  auto settings = check_arguments(context, type, options);
  if (settings.failed_with(Code::kUnsupported)) {
    context.log().fatal(settings.error().message());
    return 1;
  }
  if (!settings) {
    return Error(settings.error().code(),
                 fmt::format("failed to validate command args: {}", settings.error().message()));
  }
  TRY_OK(context.session());
  TRY_OK(check_can_be_created(context, type, options.name));
  TRY(const Submission submission, prepare(context, type, *std::move(settings)));
  const std::vector<Json> objects = make_objects(submission);
  if (options.dry_run) {
    print_objects(objects, options.output == "json");
    return 0;
  }
  TRY_OK(create_objects(context, type, objects));
  tell_submitted(context, type, options.name);
  return 0;
}

struct Form {
  const char* type;
  std::vector<std::string> aliases;
  const char* summary;
  void (*add_flags)(FlagSet&, SubmitOptions&);
  const char* example;
  const char* notes;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      {"pytorchjob",
       {"pytorch"},
       "Submit a PyTorch job: a master, and workers that find it.",
       add_pytorch_flags,
       "arena submit pytorch --name mnist --image pytorch --workers 3 --gpus 1 \\\n"
       "  --sync-mode git --sync-source https://example.org/mnist-pytorch.git \\\n"
       "  --data training-data:/data --tensorboard --logdir /data/logs \\\n"
       "  \"python /root/code/mnist-pytorch/mnist.py --data /data\"",
       "Each pod has RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. The words behind the flags "
       "are\n"
       "joined by blanks and given to the shell; quote them as one."},
      {"tfjob",
       {"tf"},
       "Submit a TensorFlow job: workers, and parameter servers, a chief or an evaluator.",
       add_tensorflow_flags,
       "arena submit tfjob --name ps --image tensorflow --workers 2 --ps 1 \"python train.py\"",
       "Each pod has TF_CONFIG, which tells it of the others. One worker alone is a chief without\n"
       "it."},
      {"mpijob",
       {"mpi", "mj"},
       "Submit an MPI job: workers, and a launcher that runs the command.",
       add_mpi_flags,
       "arena submit mpi --name allreduce --image horovod --workers 2 --gpus 1 \\\n"
       "  \"mpirun python train.py\"",
       "The command runs in the launcher; mpirun finds the workers in its hostfile."},
  };
  return kForms;
}

void add_form(Command& group, const Form& form) {
  const auto options = std::make_shared<SubmitOptions>();
  const TrainingType& type = training_type(form.type);
  Command& command = group.add(form.type, form.summary);
  command.aliases = form.aliases;
  command.usage = "--name NAME --image IMAGE \"COMMAND\"";
  command.least_words = 1;
  command.most_words = Command::kAnyNumber;
  command.missing =
      fmt::format("say what to run: arena submit {} --name NAME --image IMAGE \"COMMAND\"",
                  form.aliases.front());
  command.example = form.example;
  command.notes = form.notes;
  form.add_flags(command.flags, *options);
  command.run = [options, &type](Context& context, const Command::Words& words) {
    SubmitOptions given = *options;
    for (const std::string& word : words) {
      given.command += given.command.empty() ? word : " " + word;
    }
    return submit(context, type, given);
  };
}

}  // namespace

void print_objects(const std::vector<Json>& objects, bool json) {
  if (json) {
    JsonArray items(objects.begin(), objects.end());
    fmt::print("{}\n",
               to_pretty_text(Json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}}));
    return;
  }
  for (const Json& object : objects) fmt::print("---\n{}", to_yaml(object));
}

void tell_submitted(Context& context, const TrainingType& type, const std::string& name) {
  const std::string where =
      context.is_default_namespace() ? "" : fmt::format(" -n {}", context.ns());
  context.log().info(fmt::format("The Job {} has been submitted successfully", name));
  context.log().info(fmt::format("You can run `arena get {} --type {}{}` to check the job status",
                                 name, type.name, where));
}

void add_submit_types(Command& group) {
  for (const Form& form : forms()) add_form(group, form);
}

void add_submit_commands(Command& root) {
  const auto options = std::make_shared<FileOptions>();
  Command& group = root.add("submit", "Submit a training job.");
  add_submit_types(group);
  group.flags.text("file", 'f', options->file, "FILE",
                   "the job that this file describes; - for standard input");
  group.flags.toggle("dry-run", 0, options->dry_run,
                     "only print the objects that would be created");
  group.flags.text("output", 'o', options->output, "FORMAT", "of --dry-run: yaml or json")
      .among({"yaml", "json"});
  group.example =
      "arena submit pytorch --name mnist --image pytorch \"python train.py\"\n"
      "arena submit -f job.yaml";
  group.notes =
      "In a file, the flags are keys:\n\n"
      "  type: pytorch\n"
      "  name: mnist\n"
      "  image: pytorch\n"
      "  workers: 3\n"
      "  env: {EPOCHS: \"3\"}\n"
      "  data: [training-data:/data]\n"
      "  command: python train.py\n\n"
      "It may also hold the objects that --dry-run prints.";
  group.run = [options](Context& context, const Command::Words&) -> Result<int> {
    if (options->file.empty()) {
      return Error(Code::kInvalid, "say which job: arena submit -f FILE, or a type and its flags");
    }
    return submit_file(context, *options);
  };
}

}  // namespace trainyard::cli::arena
