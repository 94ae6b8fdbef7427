// Puts load on a Kubernetes API server, any, and prints what it can do.
#include "scenarios.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>

#include <sys/resource.h>

namespace trainyard::bench {
namespace {

struct Options {
  std::string kubeconfig;
  int pid = 0;
  bool json = false;
  bool fill = false;
  Settings settings;
};

/// Only creates the objects, and tells what each costs in memory.
awaitable<Result<>> fill(Target& target, Options options) {
  const std::int64_t before = resident_kb(options.pid);
  CO_TRY_OK(co_await run_creates(target, options.settings));
  const auto grown = static_cast<double>(resident_kb(options.pid) - before) * 1024;
  fmt::print("{} objects of {} bytes each: {:.0f} bytes of the server's memory per object\n",
             options.settings.objects,
             item_text("item-000000", 0, options.settings.object_bytes).size(),
             grown / options.settings.objects);
  co_return Ok();
}

awaitable<Result<>> run(Target& target, Options options) {
  CO_TRY_OK(co_await install_kind(target));
  if (options.fill) co_return co_await fill(target, options);
  const std::int64_t idle = resident_kb(options.pid);
  const double cpu = cpu_seconds(options.pid);
  CO_TRY(std::vector<Row> rows, co_await run_requests(target, options.settings));
  CO_TRY(const WatchReport watched, co_await run_watchers(target, options.settings));
  rows.push_back(watched.row);
  if (options.json) {
    fmt::print("{}\n", to_json_text(rows));
  } else {
    print_table(rows);
    fmt::print("watch: {} events, {} missed, repeated or out of order, {} watches reopened\n",
               watched.events, watched.wrong, watched.reopened);
    if (options.pid > 0) {
      fmt::print("server: {:.1f} MB at the start, {:.1f} MB at the end, {:.1f} CPU seconds\n",
                 static_cast<double>(idle) / 1024,
                 static_cast<double>(resident_kb(options.pid)) / 1024,
                 cpu_seconds(options.pid) - cpu);
    }
  }
  if (watched.wrong > 0) co_return Error(Code::kInternal, "watchers missed events");
  co_return Ok();
}

int main_with(const Options& options) {
  ::mallopt(M_MMAP_THRESHOLD, 8 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
  struct rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  return run_against(options.kubeconfig, "load",
                     [&](Target& target) { return run(target, options); });
}

}  // namespace
}  // namespace trainyard::bench

int main(int count, char** arguments) {
  trainyard::bench::Options options;
  CLI::App app("Puts load on a Kubernetes API server and prints what it can do.");
  app.add_option("--kubeconfig", options.kubeconfig, "which server, as whom")->required();
  app.add_option("--pid", options.pid, "the server's process, to tell its memory and CPU time");
  app.add_option("--connections", options.settings.connections, "requests at once");
  app.add_option("--objects", options.settings.objects, "created, patched and deleted");
  app.add_option("--object-bytes", options.settings.object_bytes, "size of each object's text");
  app.add_option("--lists", options.settings.lists, "lists of 1,000 objects");
  app.add_option("--watchers", options.settings.watchers, "watches at once");
  app.add_option("--updates", options.settings.updates, "changes that each watch sees");
  app.add_flag("--fill", options.fill, "only create the objects, and leave them there");
  app.add_flag("--json", options.json, "for programs");
  CLI11_PARSE(app, count, arguments);
  return trainyard::bench::main_with(options);
}
