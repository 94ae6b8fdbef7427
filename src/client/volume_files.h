#pragma once

#include "base/async.h"
#include "base/files/shared_folder.h"
#include "base/result.h"
#include "object/values/metadata.h"

#include <memory>
#include <string>

namespace trainyard::client {

/// A file of a volume that is being read.
class FileReader {
 public:
  virtual ~FileReader() = default;
  virtual const FileFacts& facts() const = 0;
  /// At most `size` bytes from `offset` on; empty at the end.
  virtual awaitable<Result<std::string>> read(std::int64_t offset, std::size_t size) = 0;
};

/// A file of a volume that is being written. It is there when finish() has returned, not before;
/// one that is dropped leaves nothing behind.
class FileWriter {
 public:
  virtual ~FileWriter() = default;
  virtual awaitable<Result<>> write(std::string bytes) = 0;
  virtual awaitable<Result<FileFacts>> finish() = 0;
};

/// What a request asks for of a folder.
struct FolderRange {
  std::string after;  // only names behind this one
  std::size_t limit = 0;
};

/// A file or a folder of a volume, and of a folder what is in it.
struct FileView {
  FileFacts facts;
  FolderPage folder;
  bool read_only = false;       // the volume is
  std::int64_t free_bytes = 0;  // on the volume's disk
};

/// The files of PersistentVolumeClaims, by paths below the volume (base/files/shared_folder.h says
/// what is true of those). The node serves it; the server passes it on. What changes something
/// answers kForbidden, with the reason, for volumes that may only be read.
class VolumeFiles {
 public:
  virtual ~VolumeFiles() = default;
  virtual awaitable<Result<FileView>> look(Key claim, std::string path, FolderRange range) = 0;
  virtual awaitable<Result<std::unique_ptr<FileReader>>> open(Key claim, std::string path) = 0;
  /// `bytes`: how many will come, where that is known; kTooLarge when the disk has no room.
  virtual awaitable<Result<std::unique_ptr<FileWriter>>> begin(Key claim, std::string path,
                                                               Replacing replacing,
                                                               std::int64_t bytes) = 0;
  virtual awaitable<Result<FileFacts>> make_folder(Key claim, std::string path) = 0;
  virtual awaitable<Result<FileFacts>> rename(Key claim, std::string from, std::string to) = 0;
  virtual awaitable<Result<>> remove(Key claim, std::string path, bool recursive) = 0;
};

}  // namespace trainyard::client
