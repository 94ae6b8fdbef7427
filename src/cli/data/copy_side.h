#pragma once

#include "base/files/shared_folder.h"
#include "client/volume_files.h"

#include <memory>
#include <string>
#include <vector>

namespace trainyard::cli {

/// What `trainyard data cp` reads from or writes to: a folder of this machine, or a volume. Paths
/// are below it and stay there, whatever links are on the way.
class CopySide {
 public:
  virtual ~CopySide() = default;
  /// kNotFound when nothing is there; a link is followed.
  virtual awaitable<Result<FileFacts>> look(std::string path) = 0;
  /// All that is in a folder; links as links.
  virtual awaitable<Result<std::vector<FileFacts>>> list(std::string path) = 0;
  virtual awaitable<Result<std::unique_ptr<client::FileReader>>> open(std::string path) = 0;
  /// Replaces a file that is there. `like` is what is copied: its mode and its size are meant.
  virtual awaitable<Result<>> write(std::string path, FileFacts like, client::NextPart next) = 0;
  /// kAlreadyExists when something is there.
  virtual awaitable<Result<>> make_folder(std::string path, FileFacts like) = 0;
  virtual awaitable<Result<>> make_link(std::string path, std::string target) = 0;
};

std::unique_ptr<CopySide> local_side(SharedFolder folder);
/// `files` must outlive it.
std::unique_ptr<CopySide> volume_side(client::VolumeFiles& files, Key claim);

}  // namespace trainyard::cli
