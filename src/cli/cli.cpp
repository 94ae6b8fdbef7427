#include "cli/cli.h"

#include "base/files/folder_entries.h"
#include "cli/apps/start_page.h"
#include "cli/arena/arena.h"
#include "cli/command/commands.h"
#include "cli/command/parse_error.h"
#include "cli/command/print.h"
#include "cli/completion.h"
#include "cli/images/image_load.h"
#include "cli/jobs/job_commands.h"
#include "cli/jobs/rsh.h"
#include "cli/server/machine_commands.h"
#include "cli/server/systemd_unit.h"
#include "cli/start/run_line.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>

namespace trainyard::cli {
namespace {

constexpr const char* kAbout =
    "Trainyard runs distributed training jobs on this machine.\n\n"
    "  trainyard up --detach                  start the server\n"
    "  trainyard run -n 4 -- python train.py  run a command of yours as a job of 4 processes\n"
    "  trainyard submit -f job.yaml --follow  run a job and watch its log\n"
    "  trainyard list                         see all jobs\n"
    "  trainyard describe JOB                 see all about one, and why it failed or waits\n\n"
    "`trainyard COMMAND --help` shows the flags of a command, with examples.";

/// Where the server of the package keeps its data.
constexpr const char* kSystemData = "/var/lib/trainyard";

int finish(const Result<int>& result) {
  if (result) return *result;
  fmt::print(stderr, "trainyard: {}\n", result.error().message());
  return 1;
}

/// A server runs also where the disk is too full for what commands find it by.
int tell_started(const Flags& flags, const ServerInfo& started) {
  fmt::print("API      {}\nconsole  ", started.api_url);
  std::fflush(stdout);
  const auto opened = open_console(flags);
  if (opened) return *opened;
  fmt::print("{}\n", started.console_url);
  const auto found = find_server(flags.data_dir);
  const std::string cause =
      found ? opened.error().message()
            : "commands find it when it has written " + (flags.data_dir / "server.json").string();
  fmt::print(
      stderr,
      "note: the server runs, but gives no link that logs in yet: {}. Its log ({}) says more; "
      "`trainyard open` gives a link later\n",
      cause, (flags.data_dir / "server.log").string());
  return 0;
}

/// Collects what the parser finds, and what is to be run in the end.
class CommandLine {
 public:
  explicit CommandLine(const Parts& parts)
      : run_server_(parts.run_server),
        end_pods_(parts.end_pods),
        machine_commands_(flags_, parts.store) {
    app_.require_subcommand(1);
    app_.fallthrough();
    data_dir_given_ =
        app_.add_option("--data-dir", flags_.data_dir,
                        "the server's data folder (TRAINYARD_DATA_DIR, ~/.trainyard)");
    app_.add_option("--kubeconfig", flags_.kubeconfig, "the cluster to talk to");
    app_.add_option("--context", flags_.context, "the context of the kubeconfig to use");
    app_.add_option("-n,--namespace", flags_.ns, "the namespace (project)");
    app_.set_version_flag("--version", version_text(), "print the version");
    add_server_commands();
    job_commands_.add([this](const char* name, const char* help, JobCommands::Action action) {
      return command(app_, name, help, [action = std::move(action)] { return finish(action()); })
          ->group("Jobs");
    });
    add_data_commands();
    add_image_commands();
    add_notebook_commands();
    add_user_commands();
    add_own_commands();
    machine_commands_.add(
        [this](const char* name, const char* help, MachineCommands::Action action) {
          return command(app_, name, help,
                         [action = std::move(action)] { return finish(action()); })
              ->group("This machine");
        },
        app_);
  }

  int parse_and_run(int argc, char** argv) {
    RunLine line = split_run_line({argv + 1, argv + argc}, [this](const std::string& flag) {
      return takes_value(*app_.get_subcommand("run"), flag) || takes_value(app_, flag);
    });
    unfinished_ = line.command;
    job_commands_.set_command(std::move(line.command));
    try {
      app_.parse(
          std::vector<std::string>(line.own.rbegin(), line.own.rend()));  // as CLI11 wants it
    } catch (const CLI::ParseError& problem) {
      if (is_bare(app_, problem)) {
        fmt::print("{}", start_page(find_server(from_root(flags_.data_dir))));
        return 0;
      }
      if (const auto told = explain_parse_error(app_, problem)) return finish(*told);
      return app_.exit(problem) == 0 ? 0 : 1;
    }
    flags_.data_dir = from_root(flags_.data_dir);
    flags_.data_dir_named =
        data_dir_given_->count() > 0 || std::getenv("TRAINYARD_DATA_DIR") != nullptr;
    return action_();
  }

 private:
  using Action = std::function<int()>;

  CLI::App* command(CLI::App& parent, const char* name, const char* help, Action action) {
    CLI::App* sub = parent.add_subcommand(name, help);
    sub->callback([this, action = std::move(action)] { action_ = action; });
    return sub;
  }
  void add_output(CLI::App* sub) {
    sub->add_option("-o,--output", flags_.output, "json, yaml or name")
        ->check(CLI::IsMember({"json", "yaml", "name"}));
  }
  static bool takes_value(const CLI::App& app, const std::string& flag) {
    const CLI::Option* option = app.get_option_no_throw(flag);
    return option != nullptr && option->get_items_expected_max() > 0;
  }

  void add_server_commands() {
    CLI::App* up = command(app_, "up", "Start the server.", [this] { return run_up(); });
    up->add_option("--listen", up_.listen, "where the API answers")->capture_default_str();
    up->add_option("--console", up_.console, "where the web console answers")
        ->capture_default_str();
    up->add_option("--apps", up_.apps,
                   "where TensorBoards and notebooks answer (default: the console's port + 1)");
    up->add_option("--idle-after", up_.idle_after,
                   "when a TensorBoard or notebook that nobody uses counts as idle, such as 30m; "
                   "0: never")
        ->capture_default_str();
    up->add_option("--suspend-after", up_.suspend_after,
                   "when one that is idle is suspended, which ends its pod; 0: never")
        ->capture_default_str();
    up->add_option("--stall-after", up_.stall_after,
                   "when a rank that computes, reads, writes and sends nothing any more is told of "
                   "in its job's condition Stalled, such as 5m; 0: never")
        ->capture_default_str();
    up->add_option("--nodes", up_.nodes,
                   "present several nodes: '3*role=master;3*gpu=2,cpu=8,memory=32Gi'");
    fake_gpus_given_ =
        up->add_option("--fake-gpus", fake_gpus_,
                       "seem to have so many GPUs on each node, or as many as --nodes says")
            ->expected(0, 1)
            ->type_name("[N]");
    up->add_flag("--overcommit-memory", up_.overcommit_memory,
                 "place pods though their memory requests are more than there is");
    up->add_option("--log-limit", up_.log_limit,
                   "the most that is kept of one container's log, such as 10Gi; 0: all of it")
        ->capture_default_str();
    up->add_option("--keep-logs", up_.keep_logs,
                   "how long logs of deleted pods are kept, such as 14d or 12h")
        ->capture_default_str();
    up->add_option("--keep-logs-size", up_.keep_logs_size,
                   "how much of the logs of deleted pods is kept, such as 10Gi")
        ->capture_default_str();
    up->add_option("--keep-usage", up_.keep_usage,
                   "how long it is kept what ended pods have used, such as 30d or 12h")
        ->capture_default_str();
    up->add_option("--keep-usage-size", up_.keep_usage_size,
                   "how much of that is kept, such as 1Gi")
        ->capture_default_str();
    up->add_option("--audit-log-size", up_.audit_log_size,
                   "when a file of the audit log is full and the next is begun, such as 64Mi")
        ->capture_default_str();
    up->add_option("--keep-audit", up_.keep_audit, "how many full ones are kept")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    up->add_flag(
        "--accept-loss", up_.accept_loss,
        "start although the store lacks writes that were acknowledged: once, when there is "
        "no backup to restore");
    up->add_flag("--strict-images", up_.strict_images,
                 "images that are not mapped are an error, instead of the host's environment");
    up->add_flag("--fake-runtime", up_.fake_runtime,
                 "run nothing: pods are only said to run, for measuring and testing. They end as "
                 "their annotation trainyard.dev/fake-exit says, such as '2s 0'")
        ->group("Advanced");
    up->add_option("--webhook", up_.webhooks,
                   "tell this address when a job has ended: https://…, or http:// on this machine "
                   "(may be repeated)")
        ->allow_extra_args(false);
    up->add_option("--on-job-end", up_.on_job_end,
                   "run this command when a job has ended, as the server's user")
        ->type_name("COMMAND");
    up->footer(
        "When a job has ended, webhooks get a JSON object with text, namespace, name, phase and\n"
        "reason; a job can name one of its own in the annotation trainyard.dev/webhook. A command\n"
        "gets the same as its standard input, and TRAINYARD_JOB, TRAINYARD_NAMESPACE,\n"
        "TRAINYARD_PHASE and TRAINYARD_REASON; what it writes is in DATA_DIR/hooks.log.\n\n"
        "Examples:\n"
        "  trainyard up --detach\n"
        "  trainyard up --detach --fake-gpus 4\n"
        "  trainyard up --detach --webhook https://chat.example.org/hooks/TOKEN\n"
        "  trainyard up --detach --on-job-end 'mail -s \"$TRAINYARD_JOB $TRAINYARD_PHASE\" me'");
    CLI::Option* detach = up->add_flag("--detach", detach_, "return when the server is ready");
    up->add_flag("--systemd", systemd_,
                 "let systemd run it, now and from the next start on: root's for the machine, "
                 "anybody else's for themselves")
        ->excludes(detach);
    up->add_option("--ready-fd", up_.ready_fd)->group("");  // between --detach and its child
    CLI::App* down_command = command(app_, "down", "Stop the server; pods run on.", [this] {
      return finish(with_pods_ ? down_all(flags_, end_pods_) : down(flags_));
    });
    down_command->add_flag("--all", with_pods_, "stop the pods too");
    add_output(command(app_, "status", "Say whether a server runs, and where.",
                       [this] { return finish(status(flags_)); }));
    command(app_, "kubeconfig", "Print the administrator's kubeconfig.",
            [this] { return finish(kubeconfig(flags_)); });
    CLI::App* open = command(
        app_, "open",
        "Print a fresh login link: of the console, a job's page, a TensorBoard or a notebook.",
        [this] { return finish(open_page(flags_, names_)); });
    open->add_option("what", names_, "JOB, `tensorboard NAME` or `notebook NAME`")->expected(0, 2);
    add_output(open);
  }

  void add_data_commands() {
    CLI::App* data = app_.add_subcommand("data", "Volumes: folders that jobs can mount.");
    data->require_subcommand(1);
    data->fallthrough();
    CLI::App* create = command(*data, "create", "Make a volume.",
                               [this] { return finish(data_create(flags_, data_)); });
    create->add_option("name", data_.name, "its name, as YAML files refer to it")->required();
    create->add_option("--path", data_.path,
                       "a folder of yours, instead of one in the data folder");
    create->add_option("--size", data_.size, "the size that it says it has")->capture_default_str();
    create->add_flag("--read-only", data_.read_only, "jobs may not change it");
    create->add_flag("--replace", data_.replace,
                     "when it exists, let it mean this folder; running jobs keep the old one");
    CLI::App* list_command =
        command(*data, "list", "List volumes.", [this] { return finish(data_list(flags_)); });
    list_command->add_flag("-A,--all-namespaces", flags_.all_namespaces, "of all namespaces");
    add_output(list_command);
    add_data_file_commands(*data);
  }

  void add_data_file_commands(CLI::App& data) {
    constexpr const char* kPlace = "NAME:PATH, a file or folder in a volume";
    CLI::App* ls = command(data, "ls", "List files in a volume.",
                           [this] { return finish(data_ls(flags_, place_)); });
    ls->add_option("place", place_, "NAME or NAME:FOLDER")->required();
    add_output(ls);
    command(data, "cat", "Print a file in a volume.",
            [this] { return finish(data_cat(flags_, place_)); })
        ->add_option("place", place_, kPlace)
        ->required();
    command(data, "cp", "Copy files into, out of or between volumes.",
            [this] { return finish(data_cp(flags_, names_)); })
        ->add_option("places", names_, "from and to: files of this machine, or NAME:PATH")
        ->required();
    CLI::App* rm = command(data, "rm", "Remove files in a volume.",
                           [this] { return finish(data_rm(flags_, place_, recursive_)); });
    rm->add_option("place", place_, kPlace)->required();
    rm->add_flag("-r,--recursive", recursive_, "folders, too, with all that is in them");
    command(data, "delete", "Delete volumes; a folder of yours stays.",
            [this] { return finish(data_delete(flags_, names_)); })
        ->add_option("names", names_, "which")
        ->required();
  }

  void add_image_commands() {
    CLI::App* image = app_.add_subcommand("image", "What images mean on this machine.");
    image->require_subcommand(1);
    image->fallthrough();
    CLI::App* map = command(*image, "map", "Let images mean an environment of this machine.",
                            [this] { return finish(image_map(flags_, image_)); });
    map->add_option("pattern", image_.pattern, "such as 't9kpublic/pytorch-*'")->required();
    map->add_option("--venv", image_.venv, "a Python virtual environment");
    map->add_option("--conda", image_.conda, "the prefix of a conda environment");
    map->add_option("--rootfs", image_.rootfs, "a folder that becomes the root of its containers");
    map->add_flag("--host", image_.host, "the host's own environment");
    map->add_option("--env", image_.variables, "NAME=VALUE, below the pod's own (may be repeated)")
        ->allow_extra_args(false);
    CLI::App* load = command(*image, "load", "Unpack an image, and let its name mean it.",
                             [this] { return finish(image_load(flags_, loaded_)); });
    load->add_option("file", loaded_.file, "what `docker save` writes, or an OCI archive")
        ->required();
    load->add_option("--name", loaded_.name, "the image's name, instead of the one in the archive");
    load->footer(
        "Its files become the root of containers, each with a private layer over it. skopeo and\n"
        "umoci unpack it. What a pod does not say is as the image wants it: its Entrypoint and "
        "Cmd,\n"
        "Env, WorkingDir and User.\n\n"
        "Example:\n"
        "  docker save -o torch.tar pytorch/pytorch && trainyard image load torch.tar");
    add_output(command(*image, "list", "List maps; of those that match, the last counts.",
                       [this] { return finish(image_list(flags_)); }));
    command(*image, "rm", "Forget a map.",
            [this] { return finish(image_remove(flags_, image_.pattern)); })
        ->add_option("pattern", image_.pattern, "as `image list` shows it")
        ->required();
  }

  void add_notebook_commands() {
    CLI::App* notebook = app_.add_subcommand("notebook", "Notebooks: JupyterLab in the browser.");
    notebook->require_subcommand(1);
    notebook->fallthrough();
    CLI::App* setup =
        command(*notebook, "setup", "Make the environment that notebooks run in, from PyPI.",
                [this] { return finish(notebook_setup(flags_, notebook_)); });
    setup->add_option("--dir", notebook_.folder, "where (default: in the data folder)");
    setup->add_option("--python", notebook_.python, "the Python that it is made with");
    setup->add_option("--image", notebook_.image, "the images that mean this environment")
        ->capture_default_str();
  }

  void add_user_commands() {
    CLI::App* user = app_.add_subcommand("user", "People: who may use this server, and for what.");
    user->require_subcommand(1);
    user->fallthrough();
    CLI::App* add = command(*user, "add", "Let somebody in; prints their token and kubeconfig.",
                            [this] { return finish(user_add(flags_, user_)); });
    add->add_option("name", user_.name, "lower case letters, digits, '-' and '.'")->required();
    add->add_option("--role", user_.role,
                    "view, edit or admin in the namespace, or cluster-admin everywhere")
        ->check(CLI::IsMember({"view", "edit", "admin", "cluster-admin"}))
        ->capture_default_str();
    add->add_option("--group", user_.groups, "a group that they belong to (may be repeated)")
        ->allow_extra_args(false);
    add->add_option("--kubeconfig-out", user_.kubeconfig_out,
                    "write the kubeconfig to this file instead of standard output");
    add->footer(
        "Example: ann may run jobs in the namespace vision\n"
        "  trainyard user add ann --role edit -n vision --kubeconfig-out ann.kubeconfig\n"
        "  KUBECONFIG=ann.kubeconfig kubectl get pods");
    add_output(command(*user, "list", "List people with their roles.",
                       [this] { return finish(user_list(flags_)); }));
    CLI::App* remove_command =
        command(*user, "rm", "Let somebody in no longer, from the next request on.",
                [this] { return finish(user_remove(flags_, user_.name)); });
    remove_command->add_option("name", user_.name, "who")->required();
  }

  /// About the program itself.
  void add_own_commands() {
    add_output(command(app_, "version", "Print the version.", [this] { return print_version(); }));
    CLI::App* script =
        command(app_, "completion", "Print the script that lets a shell complete commands.",
                [this] { return print_completion(); });
    script->add_option("shell", names_, "bash, zsh or fish")->required()->expected(1);
    script->footer("Example: source <(trainyard completion bash)");
    CLI::App* fetch = command(app_, "git-sync", "Fetch a repository into a pod.",
                              [] { return finish(git_sync()); });
    fetch->group("Advanced");
    fetch->footer(
        "For init containers: the variables GIT_SYNC_REPO, GIT_SYNC_ROOT, GIT_SYNC_DEST,\n"
        "GIT_SYNC_BRANCH, GIT_SYNC_REV, GIT_SYNC_DEPTH, GIT_SYNC_SUBMODULES, GIT_SYNC_SSH,\n"
        "GIT_SYNC_USERNAME and GIT_SYNC_PASSWORD say what to fetch, and where to.\n\n"
        "Example:\n"
        "  GIT_SYNC_REPO=https://example.org/mnist.git GIT_SYNC_ROOT=/tmp/code \\\n"
        "    GIT_SYNC_DEST=mnist trainyard git-sync");
    // Only for the help: a line with this command never comes so far.
    app_.add_subcommand("arena", "Arena's commands: `trainyard arena --help` lists them.");
    CLI::App* unit = command(app_, "__unit", "", [this] {
      UnitOptions packaged;
      packaged.system = names_.at(0) == "system";
      packaged.command = {"/usr/bin/trainyard", "up"};
      if (packaged.system)
        packaged.command.insert(packaged.command.end(), {"--data-dir", kSystemData});
      fmt::print("{}", unit_text(packaged));
      return 0;
    });
    unit->add_option("whose", names_)->required()->expected(1);
    unit->group("");
    CLI::App* words = command(app_, "__complete", "", [this] {
      for (const std::string& word : complete(app_, unfinished_)) fmt::print("{}\n", word);
      if (names_a_job(app_, unfinished_)) print_job_names(flags_, unfinished_.back());
      return 0;
    });
    words->group("");
  }

  static std::string version_text() {
    return fmt::format("trainyard {} (speaks Kubernetes v1.32)", TRAINYARD_VERSION);
  }

  int print_version() {
    if (!print_value(flags_, {{"version", TRAINYARD_VERSION}, {"kubernetes", "v1.32"}})) {
      fmt::print("{}\n", version_text());
    }
    return 0;
  }

  int print_completion() {
    const auto text = completion_script(names_.at(0));
    if (!text) return finish(text.error());
    fmt::print("{}", *text);
    return 0;
  }

  int run_up() {
    up_.data_dir = flags_.data_dir;
    if (fake_gpus_given_->count() > 0) up_.fake_gpus = fake_gpus_;
    take_secret_options(up_);
    if (systemd_) return finish(install_unit(up_));
    if (!detach_) return run_server_(up_);
    if (const auto running = find_server(up_.data_dir)) {
      return finish(
          Error(Code::kAlreadyExists, fmt::format("a server runs on {} already (process {})",
                                                  up_.data_dir.string(), running->pid)));
    }
    const auto started = start_server(up_);
    if (!started) return finish(started.error());
    return tell_started(flags_, *started);
  }

  const std::function<int(const UpOptions&)>& run_server_;
  const EndPods& end_pods_;
  CLI::App app_{kAbout, "trainyard"};
  Flags flags_;
  UpOptions up_;
  JobCommands job_commands_{flags_};
  DataOptions data_;
  UserOptions user_;
  ImageOptions image_;
  ImageLoadOptions loaded_;
  NotebookOptions notebook_;
  MachineCommands machine_commands_;
  std::vector<std::string> names_;
  std::vector<std::string> unfinished_;  // the line that a shell wants completed
  std::string place_;
  std::string fake_gpus_;
  CLI::Option* fake_gpus_given_ = nullptr;
  CLI::Option* data_dir_given_ = nullptr;
  bool detach_ = false;
  bool systemd_ = false;
  bool recursive_ = false;
  bool with_pods_ = false;
  Action action_;
};

}  // namespace

int run(int argc, char** argv, const Parts& parts) {
  if (const auto arena = arena::find_invocation(argv[0], {argv + 1, argv + argc})) {
    return arena::run(arena->words, arena->flags);
  }
  // What follows is another program's command line, and nothing of ours.
  if (argc > 1 && std::string_view(argv[1]) == "rsh") return run_rsh({argv + 2, argv + argc});
  CommandLine line(parts);
  return line.parse_and_run(argc, argv);
}

}  // namespace trainyard::cli
