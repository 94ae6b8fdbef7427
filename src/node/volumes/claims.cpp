#include "node/volumes/claims.h"

#include "node/volumes/volume_folder.h"
#include "node/volumes/volumes.h"

#include <fmt/format.h>

namespace trainyard::node {

using namespace std::chrono_literals;

namespace {

constexpr const char* kByClaim = "claim";
constexpr const char* kNoProvisioner = "kubernetes.io/no-provisioner";

bool is_folder(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed);
}

bool is_bound(const Json& object) {
  return string_at(object, "status.phase") == "Bound";
}

std::string index_value(const Key& claim) {
  return fmt::format("{}/{}", claim.ns, claim.name);
}

/// For the index of volumes: the claim that a volume is bound to. One that is merely reserved for
/// a claim has not been its.
std::vector<std::string> bound_claim(const Json& volume) {
  if (string_at(volume, "spec.claimRef.uid").empty()) return {};
  return {index_value(claim_of(volume))};
}

/// The claim's own volume, whether it is there yet or not.
bool has_own_volume(const Json& claim) {
  const std::string_view name = string_at(claim, "spec.volumeName");
  return name.empty() || name == volume_name(claim);
}

}  // namespace

Claims::Claims(Executor loop, client::Api& api, Clock& clock, Paths paths)
    : api_(api),
      paths_(paths),
      groups_(paths),
      reclaimer_(api, std::move(paths)),
      events_(api, clock, "trainyard-node"),
      controller_("volume claims", loop, clock, *this),
      claims_(loop, api, clock, kVolumeClaims),
      volumes_(loop, api, clock, kVolumes),
      tasks_(loop) {
  volumes_.add_index(kByClaim, bound_claim);
  claims_.add_listener([this](const ObjectPtr& claim, bool) {
    controller_.add(key_of(claim->body()));
    if (listener_) listener_();
  });
  volumes_.add_listener([this](const ObjectPtr& volume, bool) { heard_of_volume(volume); });
}

void Claims::start() {
  tasks_.spawn("watch volume claims", claims_.run());
  tasks_.spawn("watch volumes", volumes_.run());
  controller_.start(1);
}

awaitable<void> Claims::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

void Claims::heard_of_volume(const ObjectPtr& volume) {
  const Key claim = claim_of(volume->body());
  controller_.add(claim.name.empty() ? key_of(volume->body()) : claim);
  if (listener_) listener_();
}

Result<ClaimFolder> Claims::find(const std::string& ns, const std::string& name) const {
  const auto found = claims_.objects().find(Key{ns, name});
  if (found == claims_.objects().end()) {
    return Error(Code::kNotFound, fmt::format("persistentvolumeclaim \"{}\" not found: create it "
                                              "with `trainyard data create {}` or kubectl",
                                              name, name));
  }
  const Json& claim = found->second->body();
  if (!is_bound(claim)) {
    return Error(Code::kNotFound,
                 fmt::format("persistentvolumeclaim \"{}\" is not bound yet", name));
  }
  ClaimFolder folder;
  folder.read_only = annotation_of(claim, kReadOnlyAnnotation) == "true";
  folder.path = own_path(claim);
  if (has_own_volume(claim)) return folder;  // it may be younger than our copy of the list
  const auto volume =
      volumes_.objects().find(Key{"", std::string(string_at(claim, "spec.volumeName"))});
  if (volume != volumes_.objects().end()) {
    TRY(const Home home, home_in(volume->second, claim));
    folder.path = home.path;
  }
  return folder;
}

awaitable<Result<client::Requeue>> Claims::reconcile(Key key) {
  if (key.ns.empty()) {
    CO_TRY_OK(co_await show_available(key));
    co_return client::Requeue();
  }
  auto claim = co_await api_.get(kVolumeClaims, key);
  if (claim.failed_with(Code::kNotFound)) co_return co_await release(key);
  if (!claim) co_return std::move(claim).error();
  co_return co_await reconcile_claim(*claim);
}

awaitable<Result<client::Requeue>> Claims::reconcile_claim(ObjectPtr claim) {
  const Json& body = claim->body();
  CO_TRY_OK(co_await release_earlier(claim));
  if (is_being_deleted(body)) co_return client::Requeue();
  if (is_bound(body) && !has_own_volume(body)) co_return client::Requeue();
  auto home = co_await home_of(claim);
  if (home && !is_bound(body) && home->path == own_path(body) &&
      annotation_of(body, kPathAnnotation).empty()) {
    if (auto made = co_await make_own_folder(claim); !made) home = std::move(made).error();
  }
  if (home && !is_bound(body) && !is_folder(home->path)) {
    home = Error(Code::kNotFound, fmt::format("{} is not a folder on this machine", home->path));
  }
  if (!home) {
    co_await events_.warning(claim, "ProvisioningFailed", home.error().message());
    co_return client::Requeue(5s);
  }
  CO_TRY(const ObjectPtr volume, co_await provide_volume(claim, *std::move(home)));
  if (!is_bound(body)) {
    CO_TRY_OK(co_await bind(claim, volume));
  } else if (wants_more(body)) {
    CO_TRY_OK(co_await grow(claim, volume));
  }
  co_return client::Requeue();
}

awaitable<Result<>> Claims::make_own_folder(ObjectPtr claim) {
  const Key key = key_of(claim->body());
  CO_TRY_OK(groups_.keep(key.ns));
  CO_TRY(const Sharing sharing,
         make_volume_folder(paths_.claim(key.ns, key.name), groups_.of(key.ns)));
  if (sharing == Sharing::kByMode) {
    co_await events_.warning(
        claim, "NoAccessLists",
        "the disk of the data folder has no POSIX access lists: pods that run as different users "
        "can write to the volume, but change each other's files only where these were made with "
        "umask 002, or run as the same user (securityContext.runAsUser)");
  }
  if (sharing == Sharing::kNot) {
    co_await events_.warning(
        claim, "NotShared",
        "the disk of the data folder does not let folders be given to a group: only pods that run "
        "as the server's user can write to the volume");
  }
  co_return Ok();
}

/// A volume that names no claim is there for whoever asks for it.
awaitable<Result<>> Claims::show_available(Key key) {
  auto volume = co_await api_.get(kVolumes, key);
  if (volume.failed_with(Code::kNotFound)) co_return Ok();
  if (!volume) co_return std::move(volume).error();
  const Json& body = (*volume)->body();
  if (!claim_of(body).name.empty() || is_being_deleted(body)) co_return Ok();
  if (string_at(body, "status.phase") != "Available") {
    Json available{{"status", {{"phase", "Available"}}}};
    CO_TRY_OK(co_await api_.patch(kVolumes, key, client::PatchType::kMerge, std::move(available),
                                  "status"));
  }
  for (const auto& [claim_key, claim] : claims_.objects()) {
    if (!is_bound(claim->body())) controller_.add(claim_key);
  }
  co_return Ok();
}

std::string Claims::own_path(const Json& claim) const {
  const std::string_view path = annotation_of(claim, kPathAnnotation);
  if (!path.empty()) return std::string(path);
  return paths_.claim(std::string(namespace_of(claim)), std::string(name_of(claim))).string();
}

Result<Claims::Home> Claims::home_in(const ObjectPtr& volume, const Json& claim) const {
  const Json& body = volume->body();
  if (!may_bind(body, claim)) {
    return Error(Code::kConflict,
                 fmt::format("volume \"{}\" is bound to another claim", name_of(body)));
  }
  Home home{folder_of_volume(body), volume};
  if (home.path.empty()) {
    return Error(Code::kUnsupported,
                 fmt::format("volume \"{}\" is no folder of this machine: only hostPath and local "
                             "volumes can be used here",
                             name_of(body)));
  }
  return home;
}

awaitable<Result<Claims::Home>> Claims::home_of(ObjectPtr claim) {
  const Json& body = claim->body();
  const std::string wanted(string_at(body, "spec.volumeName"));
  if (!has_own_volume(body)) {
    const Key key{"", wanted};
    CO_TRY(const ObjectPtr volume, co_await api_.get(kVolumes, key));
    co_return home_in(volume, body);
  }
  if (!wanted.empty() || !annotation_of(body, kPathAnnotation).empty()) {
    co_return Home{own_path(body), nullptr};
  }
  co_return co_await home_by_class(claim);
}

/// Claims of our own class get a folder of their own. Of other classes, and of none, a volume that
/// somebody has made comes first; where there is none, a class that we do not know means a folder
/// of ours too: what was written for another cluster runs here.
awaitable<Result<Claims::Home>> Claims::home_by_class(ObjectPtr claim) {
  const Json& body = claim->body();
  const Key class_key{"", std::string(string_at(body, "spec.storageClassName"))};
  std::string provisioner = class_key.name.empty() ? kNoProvisioner : "";
  if (!class_key.name.empty()) {
    auto its_class = co_await api_.get(kStorageClasses, class_key);
    if (its_class) provisioner = string_at((*its_class)->body(), "provisioner");
  }
  if (provisioner != kProvisioner) {
    const client::ListOptions everywhere;
    CO_TRY(const client::Listing volumes, co_await api_.list(kVolumes, everywhere));
    const ObjectPtr chosen = choose_volume(volumes.items, body);
    if (chosen != nullptr) co_return home_in(chosen, body);
  }
  if (provisioner == kNoProvisioner) {
    co_return Error(Code::kNotFound,
                    "no persistent volumes available for this claim and no storage class is set");
  }
  co_return Home{own_path(body), nullptr};
}

awaitable<Result<ObjectPtr>> Claims::provide_volume(ObjectPtr claim, Home home) {
  const Json& body = claim->body();
  ObjectPtr volume = home.volume;
  if (volume == nullptr) {
    CO_TRY(volume, co_await make_own_volume(claim, home.path));
  }
  const Key key = key_of(volume->body());
  if (string_at(volume->body(), "spec.claimRef.uid") != uid_of(body)) {
    const std::string version(string_at(volume->body(), "metadata.resourceVersion"));
    Json reference{{"metadata", {{"resourceVersion", version}}},
                   {"spec", {{"claimRef", claim_reference(body)}}}};
    CO_TRY(volume,
           co_await api_.patch(kVolumes, key, client::PatchType::kMerge, std::move(reference), ""));
  }
  if (is_bound(volume->body())) co_return volume;
  Json bound{{"status", {{"phase", "Bound"}}}};
  co_return co_await api_.patch(kVolumes, key, client::PatchType::kMerge, std::move(bound),
                                "status");
}

/// A volume's folder cannot be changed: when the claim's has, another volume of that name says so.
awaitable<Result<ObjectPtr>> Claims::make_own_volume(ObjectPtr claim, std::string path) {
  const Json& body = claim->body();
  const Key key{"", volume_name(body)};
  auto found = co_await api_.get(kVolumes, key);
  if (!found && !found.failed_with(Code::kNotFound)) co_return found;
  if (found && folder_of_volume((*found)->body()) == path) co_return found;
  if (found) {
    client::DeleteOptions options;
    options.uid = uid_of((*found)->body());
    CO_TRY_OK(co_await api_.remove(kVolumes, key, std::move(options)));
  }
  std::string policy = "Retain";  // files of which nobody says that they may go, stay
  if (annotation_of(body, kPathAnnotation).empty()) {
    const Key class_key{"", std::string(string_at(body, "spec.storageClassName"))};
    auto its_class = co_await api_.get(kStorageClasses, class_key);
    if (its_class) policy = string_at((*its_class)->body(), "reclaimPolicy", "Delete");
  }
  Json volume = make_volume(body, path, policy);
  co_return co_await api_.create(kVolumes, "", std::move(volume));
}

awaitable<Result<>> Claims::bind(ObjectPtr claim, ObjectPtr volume) {
  const Json& body = claim->body();
  const Key key = key_of(body);
  Json bound{{"metadata",
              {{"annotations",
                {{"pv.kubernetes.io/bind-completed", "yes"},
                 {"pv.kubernetes.io/bound-by-controller", "yes"}}}}},
             {"spec", {{"volumeName", name_of(volume->body())}}}};
  CO_TRY_OK(
      co_await api_.patch(kVolumeClaims, key, client::PatchType::kMerge, std::move(bound), ""));
  Json status{{"status",
               {{"phase", "Bound"},
                {"accessModes", array_at(volume->body(), "spec.accessModes")},
                {"capacity", object_at(volume->body(), "spec.capacity")}}}};
  CO_TRY_OK(co_await api_.patch(kVolumeClaims, key, client::PatchType::kMerge, std::move(status),
                                "status"));
  co_return Ok();
}

/// A folder of ours is as large as its disk; what is said of its size follows the claim.
awaitable<Result<>> Claims::grow(ObjectPtr claim, ObjectPtr volume) {
  const JsonObject& wanted = object_at(claim->body(), "spec.resources.requests");
  Json larger{{"spec", {{"capacity", wanted}}}};
  const Key volume_key = key_of(volume->body());
  CO_TRY_OK(
      co_await api_.patch(kVolumes, volume_key, client::PatchType::kMerge, std::move(larger), ""));
  Json status{{"status", {{"capacity", wanted}}}};
  const Key key = key_of(claim->body());
  CO_TRY_OK(co_await api_.patch(kVolumeClaims, key, client::PatchType::kMerge, std::move(status),
                                "status"));
  co_return Ok();
}

std::vector<ObjectPtr> Claims::volumes_of(const Key& claim) const {
  return volumes_.by_index(kByClaim, index_value(claim));
}

awaitable<Result<client::Requeue>> Claims::release(Key claim) {
  const std::vector<ObjectPtr> volumes = volumes_of(claim);
  if (volumes.empty()) co_return client::Requeue();
  CO_TRY(const bool used, co_await reclaimer_.is_used(claim));
  if (used) co_return client::Requeue(2s);
  for (const ObjectPtr& known : volumes) {
    const Key key = key_of(known->body());
    auto volume = co_await api_.get(kVolumes, key);
    if (volume.failed_with(Code::kNotFound)) continue;
    if (!volume) co_return std::move(volume).error();
    CO_TRY_OK(co_await reclaimer_.reclaim(*volume, Files::kToo));
  }
  co_return client::Requeue();
}

/// Volumes of claims that had the same name. Once this one is bound the folder is its own.
awaitable<Result<>> Claims::release_earlier(ObjectPtr claim) {
  const Files files = is_bound(claim->body()) ? Files::kStay : Files::kToo;
  for (const ObjectPtr& volume : volumes_of(key_of(claim->body()))) {
    if (string_at(volume->body(), "spec.claimRef.uid") == uid_of(claim->body())) continue;
    CO_TRY_OK(co_await reclaimer_.reclaim(volume, files));
  }
  co_return Ok();
}

}  // namespace trainyard::node
