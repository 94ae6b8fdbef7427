#pragma once

#include "store/sqlite_journal.h"

#include <gtest/gtest.h>

#include <map>
#include <unistd.h>

namespace trainyard::store {

/// What a journal should hold, and rows that follow from it.
class Ledger {
 public:
  using States = std::map<Key, std::pair<std::int64_t, std::string>>;  // revision and text

  Row put(const std::string& name, const std::string& text) {
    Row row;
    row.collection = "pods";
    row.key = Key{"default", name};
    row.state.revision = ++revision;
    row.state.text = std::make_shared<const std::string>(text);
    row.before = std::exchange(present[row.key], row.state);
    return row;
  }
  Row remove(const std::string& name) {
    Row row = put(name, "{}");
    row.deleted = true;
    present.erase(row.key);
    return row;
  }
  bool has(const std::string& name) const { return present.contains(Key{"default", name}); }

  States state() const {
    States states;
    for (const auto& [key, state] : present) states[key] = {state.revision, *state.text};
    return states;
  }
  static States state_of(const Contents& contents) {
    States states;
    for (const Row& row : contents.rows) states[row.key] = {row.state.revision, *row.state.text};
    return states;
  }

  std::map<Key, RowState> present;
  std::int64_t revision = 0;
};

/// A folder in memory, where there is one: thousands of files are made in it.
class MemoryFolder {
 public:
  MemoryFolder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK) == 0;
    std::string pattern =
        ((usable ? memory : std::filesystem::temp_directory_path()) / "trainyard-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~MemoryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class JournalTest : public testing::Test {
 protected:
  std::unique_ptr<Journal> open() {
    auto journal = open_sqlite_journal(file_);
    EXPECT_TRUE(journal) << journal.error().message();
    return journal ? *std::move(journal) : nullptr;
  }
  /// The error that opening and loading ends with; empty when it succeeds.
  std::string refusal() const {
    const auto journal = open_sqlite_journal(file_);
    if (!journal) return journal.error().message();
    const auto contents = (*journal)->load();
    return contents ? "" : contents.error().message();
  }

  MemoryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "store.db";
  Ledger ledger_;
};

}  // namespace trainyard::store
