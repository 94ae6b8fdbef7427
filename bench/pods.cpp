// Measures how fast pods start, and how many a second come to their end: beside what this machine
// needs for a bare fork and exec and for an fsync, in the same run.
#include "base/files/files.h"
#include "base/notifier.h"
#include "scenarios.h"

#include <CLI/CLI.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spawn.h>

#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::bench {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr const char* kPodsPath = "/api/v1/namespaces/default/pods";

struct Options {
  std::string kubeconfig;
  std::string folder;  // on the disk that the server writes to
  std::string stamp;   // the program of stamp.cpp
  int starts = 100;
  int pods = 1000;
  int connections = 16;
  int running = 0;  // pods to leave running
  int adopted = 0;  // only checks that so many still run as they were left
};

std::int64_t real_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

awaitable<void> pause(Executor executor, std::chrono::microseconds span) {
  asio::steady_timer timer(executor, span);
  co_await timer.async_wait(asio::use_awaitable);
}

/// When the stamping program ran.
awaitable<std::int64_t> wait_for_stamp(Executor executor, std::string file) {
  for (int i = 0; i < 100'000; ++i) {
    if (const auto text = read_file(file)) co_return std::stoll(*text);
    co_await pause(executor, 300us);
  }
  co_return 0;
}

std::string pod_text(const std::string& name, const std::string& command,
                     const std::string& folder) {
  const std::string mount =
      folder.empty() ? "" : R"(,"volumeMounts":[{"name":"f","mountPath":"/stamps"}])";
  const std::string volume =
      folder.empty()
          ? ""
          : fmt::format(R"(,"volumes":[{{"name":"f","hostPath":{{"path":"{}"}}}}])", folder);
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},"spec":{{"restartPolicy":"Never",)"
      R"("containers":[{{"name":"c","image":"host","command":{}{}}}]{}}}}})",
      name, command, mount, volume);
}

awaitable<Result<>> remove_pod(Target& target, std::string name) {
  CO_TRY_OK(
      co_await target.call("DELETE", fmt::format("{}/{}?gracePeriodSeconds=0", kPodsPath, name)));
  co_return Ok();
}

/// From the request to the program's first instruction, one pod at a time.
awaitable<Result<Measurement>> measure_starts(Target& target, Options options) {
  Measurement times;
  for (int i = 0; i < options.starts; ++i) {
    const std::string name = fmt::format("start-{}", i);
    const std::string file = options.folder + "/" + name;
    const std::string command = fmt::format(R"(["{}","/stamps/{}"])", options.stamp, name);
    const std::int64_t began = real_nanoseconds();
    CO_TRY_OK(co_await target.call("POST", kPodsPath, pod_text(name, command, options.folder)));
    const std::int64_t ran = co_await wait_for_stamp(target.executor(), file);
    if (ran == 0) co_return Error(Code::kTimeout, fmt::format("pod {} did not run", name));
    times.add(std::chrono::nanoseconds(ran - began));
    CO_TRY_OK(co_await remove_pod(target, name));
    // The clean-up of one pod must not slow the next one down.
    co_await pause(target.executor(), 30ms);
  }
  co_return times;
}

Measurement measure_bare_starts(const Options& options) {
  Measurement times;
  for (int i = 0; i < options.starts; ++i) {
    std::string file = fmt::format("{}/bare-{}", options.folder, i);
    std::string program = options.stamp;
    char* words[] = {program.data(), file.data(), nullptr};
    char* none[] = {nullptr};
    pid_t pid = 0;
    const std::int64_t began = real_nanoseconds();
    if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, words, none) != 0) continue;
    ::waitpid(pid, nullptr, 0);
    if (const auto text = read_file(file)) {
      times.add(std::chrono::nanoseconds(std::stoll(*text) - began));
    }
  }
  return times;
}

Measurement measure_syncs(const Options& options) {
  Measurement times;
  const int fd = ::open((options.folder + "/sync").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string page(4096, 'x');
  for (int i = 0; i < options.starts; ++i) {
    const auto began = Clock::now();
    if (::write(fd, page.data(), page.size()) < 0 || ::fdatasync(fd) != 0) break;
    times.add(Clock::now() - began);
  }
  ::close(fd);
  return times;
}

std::int64_t count_of(std::string_view text, std::string_view word) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

/// Many pods that end at once; from the first request until the last one has succeeded.
awaitable<Result<double>> measure_throughput(Target& target, Options options) {
  const auto began = Clock::now();
  const auto create = [&](int i) -> awaitable<Result<>> {
    CO_TRY_OK(co_await target.call("POST", kPodsPath,
                                   pod_text(fmt::format("true-{}", i), R"(["/bin/true"])", "")));
    co_return Ok();
  };
  CO_TRY_OK(co_await run_many(target.executor(), options.pods, options.connections, create));
  while (true) {
    CO_TRY(const std::string list,
           co_await target.call(
               "GET", fmt::format("{}?fieldSelector=status.phase%21%3DSucceeded", kPodsPath)));
    if (count_of(list, "\"uid\":") == 0) break;
    if (Clock::now() - began > 5min) co_return Error(Code::kTimeout, "not all pods have succeeded");
    co_await pause(target.executor(), 20ms);
  }
  const std::chrono::duration<double> took = Clock::now() - began;
  co_return options.pods / took.count();
}

/// Starts pods that stay, and returns when they all run.
awaitable<Result<>> leave_running(Target& target, Options options) {
  const auto create = [&](int i) -> awaitable<Result<>> {
    CO_TRY_OK(co_await target.call(
        "POST", kPodsPath, pod_text(fmt::format("stay-{}", i), R"(["sleep","31536077"])", "")));
    co_return Ok();
  };
  CO_TRY_OK(co_await run_many(target.executor(), options.running, options.connections, create));
  while (true) {
    CO_TRY(const std::string list,
           co_await target.call("GET",
                                fmt::format("{}?fieldSelector=status.phase%3DRunning", kPodsPath)));
    if (count_of(list, "\"startedAt\":") >= options.running) co_return Ok();
    co_await pause(target.executor(), 20ms);
  }
}

/// After a restart of the server: nothing was restarted, lost or started twice.
awaitable<Result<>> check_adopted(Target& target, Options options) {
  CO_TRY(const std::string list,
         co_await target.call("GET",
                              fmt::format("{}?fieldSelector=status.phase%3DRunning", kPodsPath)));
  const std::int64_t same = count_of(list, "\"restartCount\":0");
  fmt::print("{} of {} pods run on as they were\n", same, options.adopted);
  if (same == options.adopted) co_return Ok();
  co_return Error(Code::kInternal, "pods were lost");
}

awaitable<Result<>> run(Target& target, Options options) {
  if (options.adopted > 0) co_return co_await check_adopted(target, options);
  Measurement bare = measure_bare_starts(options);
  Measurement syncs = measure_syncs(options);
  CO_TRY(Measurement starts, co_await measure_starts(target, options));
  const double over = starts.percentile(0.5) - bare.percentile(0.5) - 2 * syncs.percentile(0.5);
  fmt::print("pod start, POST to exec: p50 {:.2f} ms, p99 {:.2f} ms\n", starts.percentile(0.5),
             starts.percentile(0.99));
  fmt::print("  bare fork and exec: p50 {:.2f} ms; fsync: p50 {:.2f} ms\n", bare.percentile(0.5),
             syncs.percentile(0.5));
  fmt::print("  beyond a bare start and two fsyncs: {:.2f} ms (goal: at most 6)\n", over);
  CO_TRY(const double rate, co_await measure_throughput(target, options));
  fmt::print("{} pods of /bin/true to Succeeded: {:.0f} a second (goal: 100)\n", options.pods,
             rate);
  if (options.running > 0) CO_TRY_OK(co_await leave_running(target, options));
  co_return Ok();
}

int main_with(const Options& options) {
  return run_against(options.kubeconfig, "pods",
                     [&](Target& target) { return run(target, options); });
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  trainyard::bench::Options options;
  CLI::App app("Measures how pods start and end on an embedded server");
  app.add_option("--kubeconfig", options.kubeconfig)->required();
  app.add_option("--folder", options.folder, "an empty folder on the server's disk")->required();
  app.add_option("--stamp", options.stamp, "the program stamp");
  app.add_option("--running", options.running, "pods to leave running");
  app.add_option("--adopted", options.adopted, "only check that so many run on");
  app.add_option("--starts", options.starts);
  app.add_option("--pods", options.pods);
  app.add_option("--connections", options.connections);
  CLI11_PARSE(app, argc, argv);
  return trainyard::bench::main_with(options);
}
