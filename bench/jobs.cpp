// Training jobs by the thousand on a server that only pretends to run their pods: how long until
// all of them run, and what that costs. Needs only what every API server with the kind has.
#include "base/notifier.h"
#include "base/task_group.h"
#include "job_counts.h"
#include "scenarios.h"

#include <CLI/CLI.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>


namespace trainyard::bench {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr const char* kJobs =
    "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";

struct Options {
  std::string kubeconfig;
  int pid = 0;
  int jobs = 1000;
  int workers = 3;
  int connections = 16;
  int single = 30;      // jobs that are started one after the other first
  std::string run_for;  // then all end by themselves
  std::chrono::seconds patience{600};
};

/// As people write them: a master and workers that ask for resources.
std::string job_text(const std::string& name, const Options& options) {
  const std::string annotations =
      options.run_for.empty()
          ? ""
          : fmt::format(R"("metadata":{{"annotations":{{"trainyard.dev/fake-exit":"{} 0"}}}},)",
                        options.run_for);
  const auto group = [&](const char* type, int count) {
    return fmt::format(
        R"({{"type":"{}","replicas":{},"restartPolicy":"OnFailure","template":{{{}"spec":{{)"
        R"("containers":[{{"name":"pytorch","image":"pytorch:latest","command":["python","train.py"],)"
        R"("resources":{{"requests":{{"cpu":"1","memory":"1Gi"}}}}}}]}}}}}})",
        type, count, annotations);
  };
  return fmt::format(
      R"({{"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",)"
      R"("metadata":{{"name":"{}"}},"spec":{{"replicaSpecs":[{},{}]}}}})",
      name, group("master", 1), group("worker", options.workers));
}

/// Follows a collection until it is told to stop, over cuts of the watch.
awaitable<void> watch(Target& target, std::string path, JobCounts& counts, Notifier& changed,
                      bool pods) {
  std::string version = "0";
  while (true) {
    auto stream =
        co_await target.stream(fmt::format("{}?watch=true&resourceVersion={}", path, version));
    if (!stream || (*stream)->status() != 200) {
      version = "0";  // its place is gone: from the beginning
      asio::steady_timer pause(target.executor(), 50ms);
      co_await pause.async_wait(asio::use_awaitable);
      continue;
    }
    std::string buffer;
    while (true) {
      auto piece = co_await (*stream)->read();
      if (!piece || piece->empty()) break;
      buffer += *piece;
      std::size_t begin = 0;
      for (std::size_t end = 0; (end = buffer.find('\n', begin)) != std::string::npos;
           begin = end + 1) {
        const std::string_view line = std::string_view(buffer).substr(begin, end - begin);
        if (is_error(line)) {
          version = "0";
          continue;
        }
        version = version_in(line);
        pods ? counts.take_pod(line) : counts.take_job(line);
      }
      buffer.erase(0, begin);
      changed.notify_all();
    }
  }
}

/// What the moments of a run are seen by.
struct Scene {
  Scene(Target& its_target, Options its_options)
      : target(its_target), options(std::move(its_options)), changed(target.executor()) {}
  Target& target;
  Options options;
  JobCounts counts;
  Notifier changed;
};

template <class Reached>
awaitable<Result<double>> wait_until(Scene& scene, Clock::time_point began, std::string what,
                                     Reached reached) {
  while (!reached()) {
    if (Clock::now() - began > scene.options.patience) {
      co_return Error(Code::kTimeout,
                      fmt::format("not {} after {} s; {}", what, scene.options.patience.count(),
                                  scene.counts.to_text()));
    }
    co_await scene.changed.wait();
  }
  co_return std::chrono::duration<double>(Clock::now() - began).count();
}

/// One job at a time on a server that has nothing else to do, each deleted again.
awaitable<Result<Measurement>> run_single(Scene& scene) {
  Measurement times;
  for (int i = 0; i < scene.options.single; ++i) {
    const std::string name = fmt::format("single-{}", i);
    const auto pods = static_cast<std::size_t>(scene.options.workers) + 1;
    const auto began = Clock::now();
    CO_TRY_OK(co_await scene.target.call("POST", kJobs, job_text(name, scene.options)));
    CO_TRY_OK(co_await wait_until(scene, began, "running",
                                  [&] { return scene.counts.running_pods() == pods; }));
    times.add(Clock::now() - began);
    CO_TRY_OK(co_await scene.target.call("DELETE", fmt::format("{}/{}", kJobs, name)));
    CO_TRY_OK(co_await wait_until(scene, began, "gone", [&] { return scene.counts.pods() == 0; }));
  }
  co_return times;
}

struct Costs {
  double cpu = 0;
  double megabytes = 0;
};

Costs costs_since(const Options& options, double cpu_before) {
  return {cpu_seconds(options.pid) - cpu_before,
          static_cast<double>(resident_kb(options.pid)) / 1024};
}

void print_line(const char* what, double ours, double peer, double goal, const char* unit) {
  const double ratio = ours > 0 ? peer / ours : 0;
  fmt::print("{:<44} {:>10} {:>10} {:>7} {:>5}{}\n", what, fmt::format("{:.2f} {}", ours, unit),
             peer > 0 ? fmt::format("{:.1f} {}", peer, unit) : "-",
             peer > 0 ? fmt::format("{:.1f}x", ratio) : "-",
             goal > 0 ? fmt::format("{:.0f}x", goal) : "-",
             goal > 0 && ratio < goal ? "  below the goal" : "");
}

// The figures of the peer come from bench/README.md; they hold for 1,000 jobs of 1 + 3 pods.
awaitable<Result<>> measure(Scene& scene) {
  Target& target = scene.target;
  const Options& options = scene.options;
  fmt::print("{:<44} {:>10} {:>10} {:>7} {:>5}\n", "work", "trainyard", "peer", "ratio", "goal");
  if (options.single > 0) {
    CO_TRY(Measurement times, co_await run_single(scene));
    print_line("one job on an idle server → pods Running, p50", times.percentile(0.5), 137, 0,
               "ms");
    print_line("… p99", times.percentile(0.99), 329, 0, "ms");
    scene.counts.forget();
  }
  const bool full = options.jobs == 1000 && options.workers == 3;
  const auto peer = [&](double figure) { return full ? figure : 0; };
  const auto goal = [&](double times) { return full ? times : 0; };
  const double cpu = cpu_seconds(options.pid);
  const auto jobs = static_cast<std::size_t>(options.jobs);
  const std::size_t pods = jobs * (static_cast<std::size_t>(options.workers) + 1);
  const auto create = [&](int i) -> awaitable<Result<>> {
    CO_TRY_OK(co_await target.call("POST", kJobs, job_text(fmt::format("job-{:04}", i), options)));
    co_return Ok();
  };
  const auto began = Clock::now();
  CO_TRY(Measurement posted,
         co_await run_many(target.executor(), options.jobs, options.connections, create));
  CO_TRY(const double running, co_await wait_until(scene, began, "all running", [&] {
           return scene.counts.ever_running_pods() >= pods;
         }));
  const Costs to_running = costs_since(options, cpu);
  CO_TRY(const double told, co_await wait_until(scene, began, "all jobs running", [&] {
           return scene.counts.ever_running_jobs() >= jobs;
         }));
  const Costs after = costs_since(options, cpu);
  const std::string size = fmt::format("{} jobs, {} pods: POSTs, p50", jobs, pods);
  print_line(size.c_str(), posted.percentile(0.5), peer(165), 0, "ms");
  print_line("… p99", posted.percentile(0.99), peer(396), 0, "ms");
  print_line("first POST → all pods Running", running, peer(149.5), goal(30), "s");
  print_line("first POST → all jobs' condition Running", told, peer(170), 0, "s");
  print_line("CPU seconds of the server to all pods Running", to_running.cpu, peer(331), goal(30),
             "s");
  print_line("CPU seconds of the server to all jobs Running", after.cpu, 0, 0, "s");
  print_line("memory of the server after it", after.megabytes, peer(2400), goal(15), "MB");
  if (!options.run_for.empty()) {
    CO_TRY(const double ended, co_await wait_until(scene, began, "all succeeded", [&] {
             return scene.counts.succeeded_jobs() >= jobs;
           }));
    const Costs end = costs_since(options, cpu);
    print_line("first POST → all Succeeded", ended, peer(211), 0, "s");
    print_line("CPU seconds of the server to all Succeeded", end.cpu, peer(410), 0, "s");
    print_line("memory of the server at the end", end.megabytes, 0, 0, "MB");
  }
  co_return Ok();
}

awaitable<Result<>> run(Target& target, Options options) {
  Scene scene(target, std::move(options));
  TaskGroup tasks(target.executor());
  tasks.spawn("watch pods", watch(target, kPods, scene.counts, scene.changed, true));
  tasks.spawn("watch jobs", watch(target, kJobs, scene.counts, scene.changed, false));
  Result<> outcome = co_await measure(scene);
  co_await tasks.stop();
  co_return outcome;
}

int main_with(const Options& options) {
  return run_against(options.kubeconfig, "jobs",
                     [&](Target& target) { return run(target, options); });
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  trainyard::bench::Options options;
  CLI::App app("Measures how a server that pretends to run pods gets on with many jobs");
  app.add_option("--kubeconfig", options.kubeconfig)->required();
  app.add_option("--pid", options.pid, "the server's process, to tell its memory and CPU time");
  app.add_option("--jobs", options.jobs, "created at once")->capture_default_str();
  app.add_option("--workers", options.workers, "pods of each beside its master")
      ->capture_default_str();
  app.add_option("--connections", options.connections)->capture_default_str();
  app.add_option("--single", options.single, "jobs that are started one after the other before")
      ->capture_default_str();
  app.add_option("--run-for", options.run_for, "the pods end after this, such as 20s");
  CLI11_PARSE(app, argc, argv);
  return trainyard::bench::main_with(options);
}
