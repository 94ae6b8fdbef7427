#pragma once

#include "base/async.h"
#include "base/files/shared_folder.h"
#include "base/result.h"
#include "object/values/metadata.h"

#include <functional>
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

/// Gives the content of a file in parts, an empty one at its end.
using NextPart = std::function<awaitable<Result<std::string>>()>;

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
/// what is true of those). The node serves it; the server passes it on, and RemoteVolumeFiles asks
/// it. What changes something answers kForbidden, with the reason, for volumes that may only be
/// read.
class VolumeFiles {
 public:
  virtual ~VolumeFiles() = default;
  virtual awaitable<Result<FileView>> look(Key claim, std::string path, FolderRange range) = 0;
  virtual awaitable<Result<std::unique_ptr<FileReader>>> open(Key claim, std::string path) = 0;
  /// Writes what `next` gives. The file is there when this has returned, not before; an error, or a
  /// caller that goes away, leaves nothing behind. `bytes`: how many will come, where that is
  /// known; kTooLarge when the disk has no room.
  virtual awaitable<Result<FileFacts>> write(Key claim, std::string path, Replacing replacing,
                                             std::int64_t bytes, NextPart next) = 0;
  virtual awaitable<Result<FileFacts>> make_folder(Key claim, std::string path) = 0;
  /// A symbolic link that says `target`. It may take the place of a file or another link.
  virtual awaitable<Result<FileFacts>> make_link(Key claim, std::string path, std::string target,
                                                 bool replace) = 0;
  virtual awaitable<Result<FileFacts>> rename(Key claim, std::string from, std::string to) = 0;
  virtual awaitable<Result<>> remove(Key claim, std::string path, bool recursive) = 0;
};

}  // namespace trainyard::client
