#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace trainyard::store {

/// For tests: makes SQLite work on a disk whose power can be cut. Of what was written since the
/// last sync of a file, anything may be lost: all of it, some writes, some sectors of a write.
/// Takes the place of SQLite's file system while it lives; files lie in real folders, for speed
/// best in memory.
class CrashDisk {
 public:
  explicit CrashDisk(std::uint64_t seed);
  ~CrashDisk();
  CrashDisk(const CrashDisk&) = delete;
  CrashDisk& operator=(const CrashDisk&) = delete;

  /// The power is cut when so many more writes, syncs and removals have been done: from then on
  /// everything fails.
  void cut_power_after(int operations) { left_ = operations; }
  /// The next sync fails. As the kernel does, it then takes what it could not save for saved: a
  /// later sync will not try again.
  void fail_next_sync() { fail_sync_ = true; }
  bool is_dead() const { return left_ < 0; }

  /// Puts what survives into another folder, as the machine finds it when the power is back.
  void recover_into(const std::filesystem::path& folder);

 private:
  struct Operation {
    bool truncates = false;
    std::size_t offset = 0;  // or the new size
    std::string data;
  };
  struct File {
    bool exists = false;                // on the disk, for sure
    bool removed = false;               // maybe
    std::optional<std::string> former;  // a file of that name that was removed, maybe
    std::string synced;                 // what is on the disk for sure
    std::vector<Operation> since;       // maybe
  };
  struct Handle;
  struct Calls;  // what SQLite calls

  void sync_folder();
  bool tick();  // false: the power is gone
  static void apply(std::string& content, const Operation& operation);
  void apply_maybe(std::string& content, const Operation& operation);
  std::optional<std::string> survivor_of(const File& file);

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  std::mt19937_64 random_;
  std::map<std::string, File> files_;
  int left_ = 1'000'000'000;
  bool fail_sync_ = false;
};

}  // namespace trainyard::store
