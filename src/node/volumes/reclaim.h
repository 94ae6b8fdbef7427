#pragma once

#include "client/api.h"
#include "node/config.h"
#include "node/volumes/folder_remover.h"

namespace trainyard::node {

/// What becomes of the folder of a volume that is removed.
enum class Files : std::uint8_t { kStay, kToo };

/// What becomes of a volume when its claim has gone: it is released, or removed where its reclaim
/// policy says so; with its folder only if that is one of ours.
class Reclaimer {
 public:
  Reclaimer(client::Api& api, Paths paths) : api_(api), paths_(std::move(paths)) {}

  awaitable<Result<>> reclaim(ObjectPtr volume, Files files);
  /// Whether a pod that has not ended uses a claim of that name.
  awaitable<Result<bool>> is_used(Key claim);

 private:
  awaitable<Result<>> remove_files(ObjectPtr volume);

  client::Api& api_;
  Paths paths_;
  FolderRemover remover_;
};

}  // namespace trainyard::node
