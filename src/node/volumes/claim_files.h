#pragma once

#include "client/api.h"
#include "client/volume_files.h"

#include <boost/asio/thread_pool.hpp>

namespace trainyard::node {

/// The files of claims, for who asks the server for them. Disks are waited for on threads of its
/// own; what is read or written may outlive its request there, by one piece.
class ClaimFiles final : public client::VolumeFiles {
 public:
  explicit ClaimFiles(client::Api& api) : api_(api) {}

  awaitable<Result<client::FileView>> look(Key claim, std::string path,
                                           client::FolderRange range) override;
  awaitable<Result<std::unique_ptr<client::FileReader>>> open(Key claim, std::string path) override;
  awaitable<Result<FileFacts>> write(Key claim, std::string path, Replacing replacing,
                                     std::int64_t bytes, client::NextPart next) override;
  awaitable<Result<FileFacts>> make_folder(Key claim, std::string path) override;
  awaitable<Result<FileFacts>> make_link(Key claim, std::string path, std::string target,
                                         bool replace) override;
  awaitable<Result<FileFacts>> rename(Key claim, std::string from, std::string to) override;
  awaitable<Result<>> remove(Key claim, std::string path, bool recursive) override;

 private:
  /// The claim's folder, opened for what changes something.
  awaitable<Result<std::string>> writable_folder(Key claim);
  template <class Work>
  auto elsewhere(Work work);

  client::Api& api_;
  boost::asio::thread_pool threads_{2};
};

}  // namespace trainyard::node
