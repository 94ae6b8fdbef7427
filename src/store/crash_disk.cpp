#include "store/crash_disk.h"

#include <fstream>
#include <iterator>
#include <new>
#include <utility>

namespace trainyard::store {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

/// An open file: SQLite gives us room for it, and behind it for the real one.
struct CrashDisk::Handle {
  sqlite3_file base;
  CrashDisk* disk;
  File* file;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  static Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
};

struct CrashDisk::Calls {
  static CrashDisk& disk(sqlite3_vfs* vfs) { return *static_cast<CrashDisk*>(vfs->pAppData); }
  static sqlite3_file* real(sqlite3_file* file) { return Handle::of(file).real(); }
  static const sqlite3_io_methods& methods(sqlite3_file* file) { return *real(file)->pMethods; }

  // ---- of the file system ----
  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
    CrashDisk& self = disk(vfs);
    Handle& handle = *new (file) Handle{{nullptr}, &self, nullptr};
    const bool existed = name != nullptr && std::filesystem::exists(name);
    const int opened = self.real_->xOpen(self.real_, name, handle.real(), flags, out);
    if (opened != SQLITE_OK) return opened;
    auto [entry, is_new] = self.files_.try_emplace(name == nullptr ? "" : name);
    if (is_new && existed) {
      entry->second.exists = true;
      entry->second.synced = content_of(name);
    }
    if (entry->second.removed) {
      File made;
      made.former = std::move(entry->second.synced);
      entry->second = std::move(made);
    }
    handle.file = &entry->second;
    handle.base.pMethods = &kMethods;
    return SQLITE_OK;
  }
  static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    CrashDisk& self = disk(vfs);
    if (!self.tick()) return SQLITE_IOERR_DELETE;
    File& file = self.files_[name];
    file.removed = true;
    if (sync_folder != 0) file = File();
    return self.real_->xDelete(self.real_, name, 0);
  }
  static int access(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
    return disk(vfs).real_->xAccess(disk(vfs).real_, name, flags, out);
  }
  static int full_path(sqlite3_vfs* vfs, const char* name, int size, char* out) {
    return disk(vfs).real_->xFullPathname(disk(vfs).real_, name, size, out);
  }

  // ---- of a file ----
  static int close(sqlite3_file* file) { return methods(file).xClose(real(file)); }
  static int read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
    return methods(file).xRead(real(file), to, size, offset);
  }
  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    Handle& handle = Handle::of(file);
    if (!handle.disk->tick()) return SQLITE_IOERR_WRITE;
    handle.file->since.push_back(
        {false,
         static_cast<std::size_t>(offset),
         {static_cast<const char*>(from), static_cast<std::size_t>(size)}});
    return methods(file).xWrite(real(file), from, size, offset);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    Handle& handle = Handle::of(file);
    if (!handle.disk->tick()) return SQLITE_IOERR_TRUNCATE;
    handle.file->since.push_back({true, static_cast<std::size_t>(size), {}});
    return methods(file).xTruncate(real(file), size);
  }
  static int sync(sqlite3_file* file, int /*flags*/) {
    Handle& handle = Handle::of(file);
    if (!handle.disk->tick()) return SQLITE_IOERR_FSYNC;
    if (std::exchange(handle.disk->fail_sync_, false)) {
      for (const Operation& operation : handle.file->since) {
        handle.disk->apply_maybe(handle.file->synced, operation);
      }
      handle.file->since.clear();
      return SQLITE_IOERR_FSYNC;
    }
    for (const Operation& operation : handle.file->since) apply(handle.file->synced, operation);
    handle.file->since.clear();
    if (!handle.file->exists) handle.disk->sync_folder();
    handle.file->exists = true;
    return SQLITE_OK;
  }
  static int size(sqlite3_file* file, sqlite3_int64* out) {
    return methods(file).xFileSize(real(file), out);
  }
  static int lock(sqlite3_file* file, int level) { return methods(file).xLock(real(file), level); }
  static int unlock(sqlite3_file* file, int level) {
    return methods(file).xUnlock(real(file), level);
  }
  static int check_lock(sqlite3_file* file, int* out) {
    return methods(file).xCheckReservedLock(real(file), out);
  }
  static int control(sqlite3_file* file, int operation, void* argument) {
    return methods(file).xFileControl(real(file), operation, argument);
  }
  static int sector_size(sqlite3_file* file) { return methods(file).xSectorSize(real(file)); }
  static int characteristics(sqlite3_file* file) {
    return methods(file).xDeviceCharacteristics(real(file));
  }
  static int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
    return methods(file).xShmMap(real(file), page, size, extend, out);
  }
  static int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    return methods(file).xShmLock(real(file), offset, count, flags);
  }
  static void shm_barrier(sqlite3_file* file) { methods(file).xShmBarrier(real(file)); }
  static int shm_unmap(sqlite3_file* file, int remove_it) {
    return methods(file).xShmUnmap(real(file), remove_it);
  }

  static constexpr sqlite3_io_methods kMethods{
      2,         close,      read,    write,       truncate,        sync,    size,     lock,
      unlock,    check_lock, control, sector_size, characteristics, shm_map, shm_lock, shm_barrier,
      shm_unmap, nullptr,    nullptr};
};

CrashDisk::CrashDisk(std::uint64_t seed)
    : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_), random_(seed) {
  vfs_.zName = "crash-disk";
  vfs_.pAppData = this;
  vfs_.szOsFile = static_cast<int>(sizeof(Handle)) + real_->szOsFile;
  vfs_.xOpen = Calls::open;
  vfs_.xDelete = Calls::remove;
  vfs_.xAccess = Calls::access;
  vfs_.xFullPathname = Calls::full_path;
  sqlite3_vfs_register(&vfs_, 1);
}

CrashDisk::~CrashDisk() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_, 1);
}

/// SQLite syncs the folder together with the first sync of a log that it has made: what was removed
/// before stays removed.
void CrashDisk::sync_folder() {
  for (auto& [path, file] : files_) {
    file.former.reset();
    if (file.removed) file = File();
  }
}

bool CrashDisk::tick() {
  if (left_ >= 0) --left_;
  return left_ >= 0;
}

void CrashDisk::apply(std::string& content, const Operation& operation) {
  if (operation.truncates) {
    content.resize(operation.offset);
    return;
  }
  const std::size_t end = operation.offset + operation.data.size();
  if (content.size() < end) content.resize(end);
  content.replace(operation.offset, operation.data.size(), operation.data);
}

/// Whole, in part or not at all.
void CrashDisk::apply_maybe(std::string& content, const Operation& operation) {
  constexpr std::size_t kSector = 512;
  switch (random_() % 4) {
    case 0:
      return;
    case 1: {
      Operation torn = operation;
      if (torn.truncates) return;
      for (std::size_t at = 0; at < operation.data.size(); at += kSector) {
        if (random_() % 2 == 0) continue;
        torn.offset = operation.offset + at;
        torn.data = operation.data.substr(at, kSector);
        apply(content, torn);
      }
      return;
    }
    default:
      apply(content, operation);
  }
}

/// What a file holds after the power cut, if it is there.
std::optional<std::string> CrashDisk::survivor_of(const File& file) {
  if (!file.exists && random_() % 2 == 0) return file.former;
  if (file.removed && random_() % 2 == 0) return std::nullopt;
  std::string content = file.synced;
  const auto mode = random_() % 3;  // nothing, everything, something of what came since
  for (const Operation& operation : file.since) {
    if (mode == 1) apply(content, operation);
    if (mode == 2) apply_maybe(content, operation);
  }
  return content;
}

void CrashDisk::recover_into(const std::filesystem::path& folder) {
  for (const auto& [path, file] : files_) {
    const auto content = survivor_of(file);
    if (!content || path.empty()) continue;
    std::ofstream out(folder / std::filesystem::path(path).filename(), std::ios::binary);
    out << *content;
  }
}

}  // namespace trainyard::store
