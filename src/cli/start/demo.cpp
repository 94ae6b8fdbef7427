// `trainyard demo`: a small job that really trains, watched to its end. Nothing of it stays.

#include "embedded/demo.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "base/task_group.h"
#include "cli/command/commands.h"
#include "cli/command/run_program.h"
#include "cli/start/creation.h"
#include "cli/start/demo_view.h"
#include "cli/terminal/progress_bar.h"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace trainyard::cli {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kForTheOthers = 5s;
constexpr int kDemoInterrupted = 128 + SIGINT;

/// A server for the demo alone, in a folder of its own; gone with all that it ran when this goes.
class OwnServer {
 public:
  OwnServer() = default;
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;
  ~OwnServer() {
    if (folder_.empty()) return;
    (void)stop_server(folder_, true);
    if (const auto removed = remove_folder(folder_); !removed) {
      fmt::print(stderr, "trainyard: {} stays: {}\n", folder_.string(), removed.error().message());
    }
  }

  Result<ServerInfo> start() {
    std::error_code unknown;
    std::string pattern = (fs::temp_directory_path(unknown) / "trainyard-demo-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return io_error("making", pattern, errno);
    folder_ = pattern;
    UpOptions options;
    options.data_dir = folder_;
    options.listen = "127.0.0.1:0";  // whichever ports are free
    options.console = "127.0.0.1:0";
    return start_server(options);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

std::string_view script(std::string_view name) {
  for (const embedded::File& file : embedded::demo()) {
    if (file.name == name) return file.bytes;
  }
  return "";
}

bool has_torch(const std::string& python) {
  const auto asked = capture_program(
      {python, "-c",
       "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"});
  return asked && asked->code == 0;
}

Json demo_job(const DemoOptions& options, const std::string& python, bool torch) {
  const Json container{{"name", "main"},
                       {"image", "host"},
                       {"command",
                        {python, "-u", "-c", script(torch ? "demo_torch.py" : "demo_plain.py"),
                         std::to_string(options.steps)}}};
  return Json{{"apiVersion", "batch.tensorstack.dev/v1beta1"},
              {"kind", "PyTorchTrainingJob"},
              {"metadata", {{"name", "demo-" + random_hex(3)}}},
              {"spec",
               {{"runPolicy",
                 {{"backoffLimit", 0}, {"onReplicaFailure", "StopJob"}, {"restartScope", "Job"}}},
                {"replicaSpecs",
                 {{{"type", "worker"},
                   {"replicas", options.replicas},
                   {"restartPolicy", "Never"},
                   {"template", {{"spec", {{"containers", {container}}}}}}}}}}}};
}

awaitable<std::string> read_log(Session& session, Key pod) {
  client::LogOptions options;
  options.tail_lines = 12;
  const auto stream = co_await session.api().open_log(std::move(pod), std::move(options));
  std::string text;
  while (stream) {
    const auto piece = co_await (*stream)->read();
    if (!piece || piece->empty()) break;
    text += *piece;
  }
  co_return text;
}

/// Draws anew what it drew before; where there is no terminal, each new line once.
class Screen {
 public:
  Screen() : terminal_(::isatty(STDOUT_FILENO) != 0) {}

  void show(const DemoView& view) {
    if (terminal_) {
      redraw(demo_lines(view, terminal_width()));
    } else {
      print_news(view);
    }
    std::fflush(stdout);
  }

 private:
  void redraw(const std::vector<std::string>& lines) {
    std::string out = drawn_ > 0 ? fmt::format("\x1b[{}A", drawn_) : "";
    for (const std::string& line : lines) out += line + "\x1b[K\n";
    drawn_ = lines.size();
    fmt::print("{}\x1b[J", out);
  }

  void print_news(const DemoView& view) {
    if (view.phase != phase_) fmt::print("{} {}\n", view.job, view.phase);
    phase_ = view.phase;
    if (!view.step || view.step->step == step_) return;
    step_ = view.step->step;
    fmt::print("step {}/{} {}\n", view.step->step, view.step->steps, view.step->rest);
  }

  bool terminal_;
  std::size_t drawn_ = 0;
  std::string phase_;
  int step_ = 0;
};

class Demo {
 public:
  Demo(Session& session, FoundJob job) : session_(session), job_(std::move(job)) {}

  /// The exit code.
  awaitable<Result<int>> run() {
    TaskGroup tasks(session_.loop());
    tasks.spawn_contained("interrupt", wait_interrupt());
    const auto watched = co_await watch();
    co_await tasks.stop();
    const auto removed = co_await remove_job();
    if (!watched) co_return watched.error();
    if (!removed) co_return removed.error();
    co_return *watched;
  }

 private:
  awaitable<void> wait_interrupt() {
    boost::asio::signal_set signals(session_.loop(), SIGINT, SIGTERM);
    co_await signals.async_wait(boost::asio::use_awaitable);
    interrupted_ = true;
  }

  awaitable<Result<int>> watch() {
    const TimePoint began = session_.clock().now();
    std::optional<TimePoint> ends_at;
    while (true) {
      CO_TRY(const DemoView view, co_await look(began));
      screen_.show(view);
      if (interrupted_) co_return kDemoInterrupted;
      if (job_has_ended(job_.body())) {
        // The first replica ends the job; the last view shows the others at their end, too.
        if (!ends_at) ends_at = session_.clock().now() + kForTheOthers;
        if (view.all_ended() || session_.clock().now() >= *ends_at) break;
      }
      co_await session_.clock().sleep_for(250ms);
    }
    if (phase_of(job_.body()) == "Succeeded") co_return 0;
    co_return Error(Code::kInternal,
                    fmt::format("the job has not succeeded: {}. `trainyard doctor` may say why",
                                explanation(job_.body())));
  }

  awaitable<Result<DemoView>> look(TimePoint began) {
    CO_TRY(job_.object, co_await session_.api().get(job_.resource, job_.key()));
    CO_TRY(const std::vector<ObjectPtr> pods, co_await list_pods_of(session_.api(), job_.body()));
    DemoView view;
    view.job = job_.key().name;
    view.phase = phase_of(job_.body());
    view.seconds = static_cast<int>(
        std::chrono::duration_cast<std::chrono::seconds>(session_.clock().now() - began).count());
    for (const ReplicaState& state : replica_states(job_.body(), pods)) {
      view.replicas.emplace_back(state.replica, state.phase);
    }
    view.waits_for = waiting_reason(pods);
    for (const ObjectPtr& pod : pods) {
      if (string_at(pod->body(), "status.phase") == "Pending") continue;
      const std::string log = co_await read_log(session_, key_of(pod->body()));
      if (auto step = last_step(log)) view.step = std::move(step);
      const std::size_t enough = pods.size() > 3 ? 1 : 3;
      const std::string replica = replica_of(*find(pod->body(), "metadata.labels"));
      for (const std::string& line : last_lines_of(log, enough)) {
        view.lines.push_back(fmt::format("{}  {}", replica, line));
      }
    }
    co_return view;
  }

  awaitable<Result<>> remove_job() {
    client::DeleteOptions this_one;
    this_one.uid = uid_of(job_.body());
    const auto removed =
        co_await session_.api().remove(job_.resource, job_.key(), std::move(this_one));
    if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed.error();
    co_return Ok();
  }

  Session& session_;
  FoundJob job_;
  Screen screen_;
  bool interrupted_ = false;
};

std::string choose_python(const std::optional<ServerInfo>& server) {
  const char* ours = std::getenv("PATH");
  std::string path = ours != nullptr ? ours : "/usr/local/bin:/usr/bin:/bin";
  if (server && !server->pods_path.empty()) path = server->pods_path;
  return find_program("python3", path);
}

void say_what_next(bool own_server) {
  fmt::print(
      "\nThat was a job like any other; it is deleted{}. Next:\n\n{}"
      "  trainyard run -n 4 -- python train.py  a program of yours, in 4 processes\n"
      "  trainyard doctor                       what else this machine has for jobs\n",
      own_server ? ", and the server that ran it has ended" : "",
      own_server ? "  trainyard up --detach                  a server that stays\n"
                 : "  trainyard open                         the web console\n");
}

}  // namespace

Result<int> demo(const Flags& flags, const DemoOptions& options) {
  std::optional<ServerInfo> server = find_server(flags.data_dir);
  const std::string python = choose_python(server);
  if (python.empty()) {
    return Error(Code::kNotFound,
                 "there is no python3 for the demo to run: `apt-get install python3` installs it, "
                 "`trainyard doctor` says what else is missing");
  }
  const bool torch = !options.plain && has_torch(python);
  OwnServer own;
  Flags there = flags;
  const bool elsewhere = !flags.kubeconfig.empty();
  if (!elsewhere) {
    if (!server) {
      fmt::print("No server runs: starting one for the demo.\n");
      std::fflush(stdout);
      TRY(server, own.start());
      there.data_dir = own.folder();
    }
    there.kubeconfig = there.data_dir / "kubeconfig";
  }
  TRY(const std::unique_ptr<Session> session, Session::open(there));
  fmt::print("{} processes learn together which points lie in a circle, with {}.\n\n",
             options.replicas, torch ? "PyTorch" : "Python alone");
  Json job = demo_job(options, elsewhere ? "python3" : python, torch);
  TRY(FoundJob created, session->run(create_object(*session, std::move(job))));
  Demo running(*session, std::move(created));
  TRY(const int code, session->run(running.run()));
  if (code == 0) say_what_next(!own.folder().empty());
  return code;
}

}  // namespace trainyard::cli
