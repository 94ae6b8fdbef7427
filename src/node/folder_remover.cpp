#include "node/folder_remover.h"

#include "base/files.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trainyard::node {
namespace {

awaitable<Result<>> remove_here(std::filesystem::path folder) {
  co_return remove_folder(folder);
}

}  // namespace

awaitable<Result<>> FolderRemover::remove(std::filesystem::path folder) {
  co_return co_await boost::asio::co_spawn(thread_, remove_here(std::move(folder)),
                                           boost::asio::use_awaitable);
}

}  // namespace trainyard::node
