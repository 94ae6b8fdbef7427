#include "node/volumes/folder_remover.h"

#include "base/elsewhere.h"
#include "base/files/files.h"
#include "base/log.h"
#include "node/volumes/memory_folder.h"

#include <boost/asio/post.hpp>

#include <unistd.h>
#include <utility>

namespace trainyard::node {
namespace {

Result<> remove_here(const std::filesystem::path& folder) {
  if (::geteuid() == 0) TRY_OK(unmount_below(folder));
  return remove_folder(folder);
}

}  // namespace

awaitable<Result<>> FolderRemover::remove(std::filesystem::path folder) {
  auto work = [folder = std::move(folder)] { return remove_here(folder); };
  co_return co_await run_elsewhere(thread_.get_executor(), std::move(work));
}

void FolderRemover::remove_later(std::filesystem::path folder) {
  boost::asio::post(thread_, [folder = std::move(folder)] {
    if (auto removed = remove_here(folder); !removed) {
      log_warn("folder not removed", {{"cause", removed.error().message()}});
    }
  });
}

}  // namespace trainyard::node
