#include "base/files/files.h"
#include "store/crash_disk.h"
#include "store/store.h"
#include "store/test_journal.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <sys/wait.h>

namespace trainyard::store {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

/// A journal that lives through several power cuts. What it must hold is known at any time: all
/// that was acknowledged, and of the commit that was under way all or nothing.
class CrashRun {
 public:
  CrashRun(std::uint64_t seed, fs::path folder) : random_(seed), folder_(std::move(folder)) {}

  void run() {
    for (int life = 0; life < 4 && !testing::Test::HasFailure(); ++life) {
      const fs::path here = folder_ / std::to_string(life);
      fs::create_directories(here);
      if (life > 0) carry_mark(here);
      CrashDisk disk(random_());
      live(disk, here);
      fs::create_directories(folder_ / std::to_string(life + 1));
      disk.recover_into(folder_ / std::to_string(life + 1));
      last_ = here;
    }
    if (testing::Test::HasFailure()) return;
    carry_mark(folder_ / "4");
    check(folder_ / "4");
  }

 private:
  /// The mark is written with a sync of its own: it is always there.
  void carry_mark(const fs::path& here) const {
    std::error_code none;
    fs::copy_file(last_ / "store.revision", here / "store.revision",
                  fs::copy_options::overwrite_existing, none);
  }

  void live(CrashDisk& disk, const fs::path& here) {
    const bool sync_fails = random_() % 5 == 0;
    if (!check(here)) return;
    disk.cut_power_after(static_cast<int>(random_() % 400));
    auto journal = open_sqlite_journal(here / "store.db");
    if (!journal) {
      EXPECT_TRUE(disk.is_dead()) << journal.error().message();
      return;
    }
    const std::uint64_t failing = sync_fails ? random_() % 40 : 1000;
    const bool in_commit = random_() % 2 == 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
      if (i == failing && in_commit) disk.fail_next_sync();
      if (!commit_something(**journal, disk)) break;
      if (i == failing && !in_commit) disk.fail_next_sync();
      const Result<> tidied = (*journal)->tidy(random_() % 8 == 0 || i == failing);
      if (tidied.failed_with(Code::kInternal)) break;  // as the writer does
    }
  }

  bool commit_something(Journal& journal, const CrashDisk& disk) {
    under_way_ = acknowledged_;
    std::vector<Row> rows;
    for (std::uint64_t n = 1 + random_() % 4; n > 0; --n) {
      const std::string name = fmt::format("pod-{}", random_() % 25);
      if (under_way_->has(name) && random_() % 3 == 0) {
        rows.push_back(under_way_->remove(name));
      } else {
        const std::string text(random_() % 6000, 'x');
        rows.push_back(under_way_->put(name, fmt::format("{{\"x\":\"{}\"}}", text)));
      }
    }
    const bool was_dead = disk.is_dead();
    const Result<> committed = journal.commit(rows);
    if (!committed) return false;
    EXPECT_FALSE(was_dead) << "nothing can be acknowledged without power";
    acknowledged_ = *std::exchange(under_way_, std::nullopt);
    return true;
  }

  /// Opens the file on a healthy disk and compares.
  bool check(const fs::path& here) {
    const auto journal = open_sqlite_journal(here / "store.db");
    EXPECT_TRUE(journal) << journal.error().message();
    if (!journal) return false;
    const auto contents = (*journal)->load();
    EXPECT_TRUE(contents) << contents.error().message();
    if (!contents) return false;
    const Ledger::States found = Ledger::state_of(*contents);
    if (under_way_ && found == under_way_->state()) acknowledged_ = *under_way_;
    under_way_.reset();
    EXPECT_TRUE(found == acknowledged_.state())
        << "an acknowledged commit is lost, or half of one is there: " << found.size()
        << " objects instead of " << acknowledged_.present.size() << ", revision "
        << contents->revision << " after " << acknowledged_.revision;
    EXPECT_GE(contents->revision, acknowledged_.revision) << "revisions went back";
    acknowledged_.revision = contents->revision;
    return found == acknowledged_.state();
  }

  std::mt19937_64 random_;
  fs::path folder_;
  fs::path last_;
  Ledger acknowledged_;
  std::optional<Ledger> under_way_;
};

TEST(SqliteCrash, WhatWasAcknowledgedSurvivesPowerCuts) {
  const char* chosen = std::getenv("CRASH_SEED");
  const char* many = std::getenv("CRASH_SEEDS");
  const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
  const std::uint64_t count = many != nullptr ? std::strtoull(many, nullptr, 10) : 80;
  const std::uint64_t last = chosen != nullptr ? first : count;
  for (std::uint64_t seed = first; seed <= last && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("again with CRASH_SEED={}", seed));
    const MemoryFolder folder;
    CrashRun(seed, folder.path()).run();
  }
}

// ---- kill -9 ----------------------------------------------------------------------------------

awaitable<void> count_up(Store& store, int writer, int report) {
  for (int value = 1;; ++value) {
    Store::Write write;
    write.collection = "pods";
    write.key = Key{"default", fmt::format("writer-{}", writer)};
    write.edit = [value](const ObjectPtr&) -> Result<Store::Decision> {
      return Store::Decision(Json{{"value", value}});
    };
    const auto written = co_await store.write(std::move(write));
    if (!written) _exit(1);
    const std::int64_t line[] = {writer, value, (*written)->revision()};
    if (::write(report, line, sizeof line) != sizeof line) _exit(1);
  }
}

/// The child: writes until it is killed, and tells of each write that was acknowledged.
[[noreturn]] void write_until_killed(const fs::path& file, int report) {
  const auto journal = open_sqlite_journal(file);
  if (!journal) _exit(2);
  asio::io_context loop(1);
  SystemClock clock;
  const auto store = Store::open(loop.get_executor(), clock, **journal);
  if (!store) _exit(3);
  for (int writer = 0; writer < 8; ++writer) {
    asio::co_spawn(loop, count_up(**store, writer, report), [](const std::exception_ptr&) {});
  }
  loop.run();
  _exit(0);
}

TEST(SqliteCrash, WhatWasAcknowledgedSurvivesKill9) {
  const MemoryFolder folder;
  const fs::path file = folder.path() / "store.db";
  std::mt19937 random(5);
  std::int64_t highest = 0;
  for (int round = 0; round < 15; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(file, ends[1]);
    ::close(ends[1]);
    std::map<std::int64_t, std::int64_t> acknowledged;  // writer: value
    std::int64_t line[3];
    for (unsigned left = 1 + random() % 300; left > 0; --left) {
      ASSERT_EQ(::read(ends[0], line, sizeof line), static_cast<ssize_t>(sizeof line));
      if (left == 1) ::kill(child, SIGKILL);
      EXPECT_GT(line[2], highest) << "a revision was given out twice";
      acknowledged[line[0]] = line[1];
    }
    while (::read(ends[0], line, sizeof line) == static_cast<ssize_t>(sizeof line)) {
      acknowledged[line[0]] = line[1];
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended with " << status;

    const auto journal = open_sqlite_journal(file);
    ASSERT_TRUE(journal) << journal.error().message();
    const auto contents = (*journal)->load();
    ASSERT_TRUE(contents) << contents.error().message();
    std::map<std::string, std::int64_t> found;
    for (const Row& row : contents->rows)
      found[row.key.name] = int_at(*parse_json(*row.state.text), "value");
    for (const auto& [writer, value] : acknowledged) {
      const std::int64_t there = found[fmt::format("writer-{}", writer)];
      EXPECT_GE(there, value) << "an acknowledged write is lost";
      EXPECT_LE(there, value + 1) << "a write was acknowledged that nobody was told of";
    }
    highest = contents->revision;
  }
}

}  // namespace
}  // namespace trainyard::store
