#include "node/volumes/reclaim.h"

#include "base/files/files.h"
#include "base/log.h"
#include "node/volumes/volumes.h"
#include "object/values/status.h"

#include <cerrno>
#include <cstdio>
#include <unistd.h>

namespace trainyard::node {
namespace {

bool uses(const Json& pod, std::string_view claim) {
  if (has_ended(pod)) return false;
  for (const Json& volume : array_at(pod, "spec.volumes")) {
    if (string_at(volume, "persistentVolumeClaim.claimName") == claim) return true;
  }
  return false;
}

}  // namespace

awaitable<Result<bool>> Reclaimer::is_used(Key claim) {
  client::ListOptions where;
  where.ns = claim.ns;
  CO_TRY(const client::Listing pods, co_await api_.list(kPods, where));
  for (const ObjectPtr& pod : pods.items) {
    if (uses(pod->body(), claim.name)) co_return true;
  }
  co_return false;
}

awaitable<Result<>> Reclaimer::reclaim(ObjectPtr volume, Files files) {
  const Json& body = volume->body();
  const Key key = key_of(body);
  if (string_at(body, "spec.persistentVolumeReclaimPolicy") != "Delete") {
    if (string_at(body, "status.phase") == "Released") co_return Ok();
    Json released{{"status", {{"phase", "Released"}}}};
    auto written = co_await api_.patch(kVolumes, key, client::PatchType::kMerge,
                                       std::move(released), "status");
    if (!written && !written.failed_with(Code::kNotFound)) co_return std::move(written).error();
    co_return Ok();
  }
  const Key claim = claim_of(body);
  if (files == Files::kToo &&
      folder_of_volume(body) == paths_.claim(claim.ns, claim.name).string()) {
    CO_TRY_OK(co_await remove_files(volume));
  }
  client::DeleteOptions options;
  options.uid = uid_of(body);
  auto removed = co_await api_.remove(kVolumes, key, std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  co_return Ok();
}

/// First out of the way, at once: the next claim of that name begins with an empty folder, and pods
/// that are still ending keep what they have mounted. What a crash leaves there is removed when the
/// volume is looked at again.
awaitable<Result<>> Reclaimer::remove_files(ObjectPtr volume) {
  const Key claim = claim_of(volume->body());
  const std::filesystem::path folder = paths_.claim(claim.ns, claim.name);
  const std::filesystem::path aside = paths_.removed_claim(std::string(name_of(volume->body())));
  CO_TRY_OK(make_folders(aside.parent_path(), 0700));
  if (std::rename(folder.c_str(), aside.c_str()) != 0 && errno != ENOENT && errno != ENOTEMPTY &&
      errno != EEXIST) {
    co_return io_error("moving away", folder, errno);
  }
  CO_TRY_OK(co_await remover_.remove(aside));
  ::rmdir(folder.parent_path().c_str());  // of the namespace: only when it was the last one
  log_info("removed the folder of a deleted volume claim", {{"claim", claim}});
  co_return Ok();
}

}  // namespace trainyard::node
