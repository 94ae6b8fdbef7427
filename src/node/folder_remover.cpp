#include "node/folder_remover.h"

#include "base/elsewhere.h"
#include "base/files.h"

namespace trainyard::node {

awaitable<Result<>> FolderRemover::remove(std::filesystem::path folder) {
  auto work = [folder = std::move(folder)] { return remove_folder(folder); };
  co_return co_await run_elsewhere(thread_.get_executor(), std::move(work));
}

}  // namespace trainyard::node
