#include "node/claims.h"

#include "base/files.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

bool is_folder(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed);
}

}  // namespace

Claims::Claims(Executor loop, client::Api& api, Clock& clock, Paths paths)
    : api_(api),
      paths_(std::move(paths)),
      events_(api, clock, "trainyard-node"),
      controller_("volume claims", loop, clock, *this),
      claims_(loop, api, clock, kVolumeClaims),
      tasks_(loop) {
  claims_.add_listener([this](const ObjectPtr& claim, bool deleted) {
    if (!deleted) controller_.add(key_of(claim->body()));
    if (listener_) listener_();
  });
}

void Claims::start() {
  tasks_.spawn("watch volume claims", claims_.run());
  controller_.start(1);
}

awaitable<void> Claims::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

Result<ClaimFolder> Claims::find(const std::string& ns, const std::string& name) const {
  const auto found = claims_.objects().find(Key{ns, name});
  if (found == claims_.objects().end()) {
    return Error(Code::kNotFound,
                 fmt::format("persistentvolumeclaim \"{0}\" not found: create it with "
                             "`trainyard data create {0} -n {1}`",
                             name, ns));
  }
  const Json& claim = found->second->body();
  if (string_at(claim, "status.phase") != "Bound") {
    return Error(Code::kNotFound,
                 fmt::format("persistentvolumeclaim \"{}\" is not bound yet", name));
  }
  const std::string_view path = annotation_of(claim, kPathAnnotation);
  ClaimFolder folder;
  folder.path = path.empty() ? paths_.claim(ns, name).string() : std::string(path);
  folder.read_only = annotation_of(claim, kReadOnlyAnnotation) == "true";
  return folder;
}

awaitable<Result<client::Requeue>> Claims::reconcile(Key key) {
  auto claim = co_await api_.get(kVolumeClaims, key);
  if (claim.failed_with(Code::kNotFound)) co_return client::Requeue();
  if (!claim) co_return std::move(claim).error();
  const Json& body = (*claim)->body();
  if (string_at(body, "status.phase") == "Bound" || is_being_deleted(body)) {
    co_return client::Requeue();
  }
  const std::string path(annotation_of(body, kPathAnnotation));
  Result<> usable = Ok();
  if (path.empty()) {
    usable = make_folders(paths_.claim(key.ns, key.name), 0755);
  } else if (!is_folder(path)) {
    usable = Error(Code::kNotFound, fmt::format("{} is not a folder on this machine", path));
  }
  if (!usable) {
    co_await events_.warning(*claim, "ProvisioningFailed", usable.error().message());
    co_return client::Requeue(std::chrono::seconds(5));
  }
  Json volume{{"spec", {{"volumeName", fmt::format("local-{}", uid_of(body))}}}};
  CO_TRY_OK(
      co_await api_.patch(kVolumeClaims, key, client::PatchType::kMerge, std::move(volume), ""));
  Json bound{{"status",
              {{"phase", "Bound"},
               {"accessModes", array_at(body, "spec.accessModes")},
               {"capacity", object_at(body, "spec.resources.requests")}}}};
  CO_TRY_OK(co_await api_.patch(kVolumeClaims, key, client::PatchType::kMerge, std::move(bound),
                                "status"));
  co_return client::Requeue();
}

}  // namespace trainyard::node
