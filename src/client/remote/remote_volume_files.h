#pragma once

#include "client/remote/remote_api.h"
#include "client/volume_files.h"

namespace trainyard::client {

/// The files of claims of a server somewhere else: persistentvolumeclaims/NAME/files of its API
/// (server/rest/rest_files.cpp). `api` must outlive it and what it has opened.
class RemoteVolumeFiles final : public VolumeFiles {
 public:
  explicit RemoteVolumeFiles(RemoteApi& api) : api_(api) {}

  awaitable<Result<FileView>> look(Key claim, std::string path, FolderRange range) override;
  /// Reads what follows what was read before without another request.
  awaitable<Result<std::unique_ptr<FileReader>>> open(Key claim, std::string path) override;
  /// `bytes` is how many `next` gives, exactly.
  awaitable<Result<FileFacts>> write(Key claim, std::string path, Replacing replacing,
                                     std::int64_t bytes, NextPart next) override;
  awaitable<Result<FileFacts>> make_folder(Key claim, std::string path) override;
  awaitable<Result<FileFacts>> make_link(Key claim, std::string path, std::string target,
                                         bool replace) override;
  awaitable<Result<FileFacts>> rename(Key claim, std::string from, std::string to) override;
  awaitable<Result<>> remove(Key claim, std::string path, bool recursive) override;

 private:
  awaitable<Result<FileFacts>> ask_for_facts(http::ClientRequest request);

  RemoteApi& api_;
};

/// What the API says of a file (describe_file() in server/wire/file_requests.h).
FileFacts read_file_facts(const Json& file);

}  // namespace trainyard::client
