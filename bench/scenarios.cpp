#include "scenarios.h"

#include "base/notifier.h"
#include "base/task_group.h"
#include "object/json/json.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>
#include <optional>

namespace trainyard::bench {
namespace {

constexpr const char* kDefinition = R"json({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "items.bench.trainyard.dev"},
  "spec": {"group": "bench.trainyard.dev", "scope": "Namespaced",
    "names": {"kind": "Item", "plural": "items", "singular": "item"},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
        "properties": {"number": {"type": "integer"}, "text": {"type": "string"}}}}}}}]}})json";

constexpr int kListed = 1000;

std::string name_of_item(int i) {
  return fmt::format("item-{:06}", i);
}

Row make_row(std::string work, Measurement& measured, double peer, double goal) {
  return {std::move(work),
          measured.per_second(),
          measured.percentile(0.5),
          measured.percentile(0.99),
          peer,
          goal};
}

/// What the workers of one run share.
struct Run {
  explicit Run(const Executor& executor) : ended(executor) {}
  int next = 0;
  int busy = 0;
  Measurement measured;
  std::optional<Error> failure;
  Notifier ended;
};

awaitable<void> work_off(Run& run, int count, std::function<awaitable<Result<>>(int)> work) {
  ++run.busy;
  while (run.next < count && !run.failure) {
    const int i = run.next++;
    const auto began = Clock::now();
    Result<> done = co_await work(i);
    if (!done) run.failure = std::move(done).error();
    run.measured.add(Clock::now() - began);
  }
  if (--run.busy == 0) run.ended.notify_all();
}

}  // namespace

int run_against(const std::string& kubeconfig, const char* name,
                const std::function<awaitable<Result<>>(Target&)>& work) {
  ::signal(SIGPIPE, SIG_IGN);
  auto connection = client::load_kubeconfig(kubeconfig);
  if (!connection) {
    fmt::print(stderr, "{}: {}\n", name, connection.error().message());
    return 1;
  }
  boost::asio::io_context loop(1);
  Target target(loop.get_executor(), *std::move(connection));
  Result<> outcome;
  boost::asio::co_spawn(loop, work(target),
                        [&](const std::exception_ptr& failure, Result<> result) {
                          if (failure) std::rethrow_exception(failure);
                          outcome = std::move(result);
                          loop.stop();
                        });
  loop.run();
  if (outcome) return 0;
  fmt::print(stderr, "{}: {}\n", name, outcome.error().message());
  return 1;
}

Target::Target(Executor executor, client::Connection connection)
    : executor_(executor),
      http_(executor, std::move(connection.http)),
      token_(std::move(connection.token)) {}

http::ClientRequest Target::make(std::string method, std::string target, std::string body,
                                 const std::string& type) const {
  http::ClientRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  request.headers.add("Accept", "application/json");
  request.headers.add("User-Agent", "load/1");
  if (!token_.empty()) request.headers.add("Authorization", "Bearer " + token_);
  if (!request.body.empty()) request.headers.add("Content-Type", type);
  return request;
}

awaitable<Result<std::string>> Target::call(std::string method, std::string target,
                                            std::string body, std::string type) {
  CO_TRY(http::Response response,
         co_await http_.request(make(std::move(method), std::move(target), std::move(body), type)));
  if (response.status == 409) co_return Error(Code::kConflict, response.body);
  if (response.status / 100 != 2) {
    co_return Error(Code::kUnavailable, fmt::format("{}: {}", response.status, response.body));
  }
  co_return std::move(response.body);
}

awaitable<Result<std::unique_ptr<http::ResponseStream>>> Target::stream(std::string target) {
  co_return co_await http_.open(make("GET", std::move(target), "", ""));
}

awaitable<Result<>> install_kind(Target& target) {
  auto made = co_await target.call(
      "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kDefinition);
  if (!made && !made.failed_with(Code::kConflict)) co_return std::move(made).error();
  // A real server takes a moment until it serves the kind.
  for (int i = 0; i < 100; ++i) {
    if (co_await target.call("GET", kItems)) co_return Ok();
    boost::asio::steady_timer pause(target.executor(), std::chrono::milliseconds(100));
    co_await pause.async_wait(boost::asio::use_awaitable);
  }
  co_return Error(Code::kTimeout, "the server does not serve the kind Item");
}

std::string item_text(const std::string& name, std::int64_t number, std::size_t bytes) {
  return to_text({{"apiVersion", "bench.trainyard.dev/v1"},
                  {"kind", "Item"},
                  {"metadata", {{"name", name}, {"labels", {{"app", "bench"}}}}},
                  {"spec", {{"number", number}, {"text", std::string(bytes, 'x')}}}});
}

awaitable<Result<Measurement>> run_many(Executor executor, int count, int width,
                                        std::function<awaitable<Result<>>(int)> work) {
  Run run(executor);
  TaskGroup tasks(executor);
  const auto began = Clock::now();
  for (int i = 0; i < width; ++i) tasks.spawn("worker", work_off(run, count, work));
  co_await run.ended.wait();
  run.measured.set_span(Clock::now() - began);
  co_await tasks.stop();
  if (run.failure) co_return *std::move(run.failure);
  co_return std::move(run.measured);
}

awaitable<Result<Measurement>> run_creates(Target& target, Settings settings) {
  const auto create = [&](int i) -> awaitable<Result<>> {
    CO_TRY_OK(
        co_await target.call("POST", kItems, item_text(name_of_item(i), i, settings.object_bytes)));
    co_return Ok();
  };
  co_return co_await run_many(target.executor(), settings.objects, settings.connections, create);
}

awaitable<Result<std::vector<Row>>> run_requests(Target& target, Settings settings) {
  std::vector<Row> rows;
  const std::string path = kItems;
  const auto measure = [&](int count, std::function<awaitable<Result<>>(int)> work) {
    return run_many(target.executor(), count, settings.connections, std::move(work));
  };
  const auto get = [&](int i) -> awaitable<Result<>> {
    CO_TRY_OK(co_await target.call("GET", path + "/" + name_of_item(i % settings.objects)));
    co_return Ok();
  };
  const auto list = [&](int) -> awaitable<Result<>> {
    CO_TRY_OK(co_await target.call("GET", path + "?limit=" + std::to_string(kListed)));
    co_return Ok();
  };
  const auto patch = [&](int i) -> awaitable<Result<>> {
    CO_TRY_OK(co_await target.call("PATCH", path + "/" + name_of_item(i),
                                   fmt::format(R"({{"spec":{{"number":{}}}}})", i + 1'000'000),
                                   "application/merge-patch+json"));
    co_return Ok();
  };
  const auto remove = [&](int i) -> awaitable<Result<>> {
    CO_TRY_OK(co_await target.call("DELETE", path + "/" + name_of_item(i)));
    co_return Ok();
  };
  // The peer's figures come from bench/README.md.
  CO_TRY(Measurement created, co_await run_creates(target, settings));
  rows.push_back(make_row("durable creates", created, 865, 5));
  CO_TRY(Measurement got, co_await measure(settings.objects * 4, get));
  rows.push_back(make_row("gets", got, 1640, 8));
  CO_TRY(Measurement listed, co_await measure(settings.lists, list));
  rows.push_back(make_row("lists of 1,000 objects", listed, 34, 8));
  CO_TRY(Measurement patched, co_await measure(settings.objects, patch));
  rows.push_back(make_row("patches", patched, 603, 0));
  CO_TRY(Measurement removed, co_await measure(settings.objects, remove));
  rows.push_back(make_row("deletes", removed, 951, 0));
  co_return rows;
}

}  // namespace trainyard::bench
