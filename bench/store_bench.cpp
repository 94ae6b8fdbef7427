// What the store costs: store_bench [all|json|memory|start|write|watch] [DISK_FOLDER]
//
// Figures of a busy machine say little: compare runs made next to each other.
#include "base/clock.h"
#include "sample_objects.h"
#include "store/sqlite_journal.h"
#include "store/store.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <malloc.h>

#include <filesystem>
#include <string>
#include <sys/resource.h>

namespace trainyard::bench {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using store::Store;

constexpr int kObjects = 10'000;

double seconds_of(const std::function<void()>& work) {
  SystemClock clock;
  const TimePoint start = clock.now();
  work();
  return std::chrono::duration<double>(clock.now() - start).count();
}

/// Processor time of all threads: says more than the time on the wall where others work, too.
double processor_seconds() {
  struct rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The best of many rounds: others may be using the processor.
double best_of(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 25; ++i) best = std::min(best, seconds_of(work));
  return best;
}

std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

Json parsed(const std::string& text) {
  return *parse_json(text);
}

Json named(const Json& sample, int number) {
  Json copy = sample;
  make_path(copy, "metadata.name") = fmt::format("resnet50-imagenet-worker-{}", number);
  return copy;
}

void measure_json(const char* what, const std::string& text) {
  constexpr int kRounds = 1'000;
  const Json tree = parsed(text);
  const std::string written = to_text(tree);
  const double mb = static_cast<double>(written.size()) * kRounds / 1e6;
  const double parse = best_of([&] {
    for (int i = 0; i < kRounds; ++i) {
      if (!parse_json(written)) std::abort();
    }
  });
  const double write = best_of([&] {
    for (int i = 0; i < kRounds; ++i) {
      if (to_text(tree).size() != written.size()) std::abort();
    }
  });
  const double copy = best_of([&] {
    for (int i = 0; i < kRounds; ++i) {
      if (!Json(tree).is_object()) std::abort();
    }
  });
  const double check = best_of([&] {
    for (int i = 0; i < kRounds; ++i) {
      if (!check_json(written)) std::abort();
    }
  });
  const Json same = tree;
  const double compare = best_of([&] {
    for (int i = 0; i < kRounds; ++i) {
      if (!same_json(same, tree)) std::abort();
    }
  });
  fmt::print(
      "json   {:10} {} bytes: parse {:.0f} MB/s ({:.1f} us), write {:.0f} MB/s ({:.1f} us), "
      "copy {:.1f} us, check {:.1f} us, compare {:.1f} us\n",
      what, written.size(), mb / parse, parse * 1e6 / kRounds, mb / write, write * 1e6 / kRounds,
      copy * 1e6 / kRounds, check * 1e6 / kRounds, compare * 1e6 / kRounds);
}

/// A store, its loop, and writers that wait for each of their writes.
class Yard {
 public:
  explicit Yard(store::Journal& journal) {
    auto opened = Store::open(loop_.get_executor(), clock_, journal);
    if (!opened) {
      fmt::print(stderr, "{}\n", opened.error().message());
      std::abort();
    }
    store_ = *std::move(opened);
  }

  Store& store() { return *store_; }
  asio::io_context& loop() { return loop_; }

  /// `writers` coroutines share `count` writes; `first` numbers their objects.
  double write(const Json& sample, int first, int count, int writers) {
    const auto work = asio::make_work_guard(loop_);
    loop_.restart();
    next_ = first;
    end_ = first + count;
    running_ = writers;
    return seconds_of([&] {
      for (int i = 0; i < writers; ++i) {
        asio::co_spawn(loop_, write_some(sample), [&](const std::exception_ptr&) { --running_; });
      }
      while (running_ > 0) loop_.run_one();
    });
  }

 private:
  awaitable<void> write_some(const Json& sample) {
    while (next_ < end_) {
      const int number = next_++;
      Json body = named(sample, number);
      Store::Write write;
      write.collection = "pods";
      write.key = Key{"team-vision", fmt::format("resnet50-imagenet-worker-{}", number)};
      write.edit = [body = std::move(body)](const ObjectPtr&) mutable -> Result<Store::Decision> {
        return Store::Decision(std::move(body));
      };
      if (!co_await store_->write(std::move(write))) std::abort();
    }
  }

  asio::io_context loop_{1};
  SystemClock clock_;
  std::unique_ptr<Store> store_;
  int next_ = 0;
  int end_ = 0;
  int running_ = 0;
};

void measure_memory(const char* what, const std::string& text) {
  store::NoJournal journal;
  const Json sample = parsed(text);
  const std::size_t before = heap_in_use();
  Yard yard(journal);
  yard.write(sample, 0, kObjects, 64);
  const std::size_t written = heap_in_use();
  std::size_t sum = 0;
  for (const ObjectPtr& object : yard.store().list("pods", "").objects) {
    sum += object->body().as_object().size();
  }
  const std::size_t looked_at = heap_in_use();
  fmt::print(
      "memory {:10} {} bytes of text: {} bytes of heap an object, {} once looked into ({})\n", what,
      to_text(sample).size(), (written - before) / kObjects, (looked_at - before) / kObjects,
      sum / kObjects);
}

std::unique_ptr<store::Journal> sqlite_in(const fs::path& folder) {
  auto journal = store::open_sqlite_journal(folder / "store.db");
  if (!journal) {
    fmt::print(stderr, "{}\n", journal.error().message());
    std::abort();
  }
  return *std::move(journal);
}

fs::path fresh(const fs::path& parent) {
  const fs::path folder = parent / fmt::format("store-bench-{}", ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

void measure_start(const fs::path& disk) {
  const fs::path folder = fresh(disk);
  {
    const auto journal = sqlite_in(folder);
    Yard(*journal).write(parsed(kPod), 0, kObjects, 64);
  }
  std::size_t count = 0;
  const double open = seconds_of([&] {
    const auto journal = sqlite_in(folder);
    Yard yard(*journal);
    count = yard.store().list("pods", "").objects.size();
  });
  fmt::print("start  {} objects: {:.0f} ms, file {} kB\n", count, open * 1e3,
             fs::file_size(folder / "store.db") / 1024);
  fs::remove_all(folder);
}

void measure_writes(const char* where, store::Journal& journal) {
  const Json sample = parsed(kPod);
  Yard yard(journal);
  int first = 0;
  for (const int writers : {1, 16, 64}) {
    const int count = writers == 1 ? 2'000 : 10'000;
    const double start = processor_seconds();
    const double create = yard.write(sample, first, count, writers);
    const double created = processor_seconds();
    Json changed = sample;
    make_path(changed, "status.phase") = "Succeeded";
    const double update = yard.write(changed, first, count, writers);
    const double updated = processor_seconds();
    fmt::print(
        "write  {:8} {:2} writers: {:6.0f} creates/s ({:5.1f} us of processor each), "
        "{:6.0f} updates/s ({:5.1f} us)\n",
        where, writers, count / create, (created - start) * 1e6 / count, count / update,
        (updated - created) * 1e6 / count);
    first += count;
  }
}

void measure_all_writes(const fs::path& disk) {
  store::NoJournal none;
  measure_writes("nowhere", none);
  for (const auto& [name, parent] : {std::pair{"tmpfs", fs::path("/dev/shm")}, {"disk", disk}}) {
    const fs::path folder = fresh(parent);
    {
      const auto journal = sqlite_in(folder);
      measure_writes(name, *journal);
    }
    fs::remove_all(folder);
  }
}

awaitable<void> follow(std::unique_ptr<Store::Cursor> cursor, int updates, std::size_t& bytes) {
  for (int seen = 0; seen < updates;) {
    while (auto change = *cursor->try_next()) {
      ++seen;
      bytes += static_cast<std::size_t>(change->object->revision());
    }
    if (seen < updates) co_await cursor->wait();
  }
}

void measure_watch() {
  constexpr int kWatchers = 500;
  constexpr int kUpdates = 1'000;
  store::NoJournal journal;
  Yard yard(journal);
  int running = kWatchers;
  std::size_t bytes = 0;
  for (int i = 0; i < kWatchers; ++i) {
    asio::co_spawn(yard.loop(), follow(*yard.store().watch("pods", 0), kUpdates, bytes),
                   [&](const std::exception_ptr&) { --running; });
  }
  const Json sample = parsed(kPod);
  const double took = seconds_of([&] {
    yard.write(sample, 0, kUpdates, 1);
    while (running > 0) yard.loop().run_one();
  });
  fmt::print("watch  {} watchers x {} updates: {:.2f} s, {:.0f} events/s\n", kWatchers, kUpdates,
             took, kWatchers * kUpdates / took);
}

void run(const std::string& what, const fs::path& disk) {
  const auto wants = [&](const char* part) { return what == "all" || what == part; };
  if (wants("json")) measure_json("pod", kPod);
  if (wants("json")) measure_json("configmap", config_map_text());
  if (wants("memory")) measure_memory("pod", kPod);
  if (wants("memory")) measure_memory("configmap", config_map_text());
  if (wants("start")) measure_start(disk);
  if (wants("write")) measure_all_writes(disk);
  if (wants("watch")) measure_watch();
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  trainyard::bench::run(argc > 1 ? argv[1] : "all", argc > 2 ? argv[2] : ".");
  return 0;
}
