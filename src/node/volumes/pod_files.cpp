#include "node/volumes/pod_files.h"

#include "base/clock.h"
#include "base/elsewhere.h"
#include "client/api.h"
#include "node/machine.h"
#include "node/node_parts.h"
#include "node/volumes/config_objects.h"
#include "node/volumes/payload_folder.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

/// Between two tries at a token: a namespace's own account may come a moment after its first pod.
constexpr auto kTryAgain = 500ms;
/// After a full disk and its like.
constexpr auto kWriteAgain = 5s;

/// After a restart of the server, which has better to do than to renew the files of all pods at
/// once: they are renewed within this time, each at a moment of its own.
constexpr auto kAfterRestart = 1s;
constexpr std::size_t kSpreadMilliseconds = 4000;

Error in_volume(const Error& cause, const Json& volume) {
  return Error(cause.code(), fmt::format("MountVolume.SetUp failed for volume \"{}\" : {}",
                                         string_at(volume, "name"), cause.message()));
}

Json token_request(const Json& pod, const TokenWish& wish) {
  JsonObject spec{
      {"expirationSeconds", wish.seconds},
      {"boundObjectRef",
       {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", name_of(pod)}, {"uid", uid_of(pod)}}}};
  if (!wish.audience.empty()) spec["audiences"] = JsonArray{Json(wish.audience)};
  return {{"apiVersion", "authentication.k8s.io/v1"},
          {"kind", "TokenRequest"},
          {"spec", std::move(spec)}};
}

Key account_of(const Json& pod) {
  return Key{std::string(namespace_of(pod)),
             std::string(string_at(pod, "spec.serviceAccountName", "default"))};
}

std::vector<Json> file_volumes(const Json& pod, bool with_account) {
  std::vector<Json> volumes;
  for (const Json& volume : array_at(pod, "spec.volumes")) {
    if (holds_files(volume)) volumes.push_back(volume);
  }
  if (with_account) volumes.push_back(make_account_volume());
  return volumes;
}

bool needs_account(const Json& pod) {
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    const JsonArray& containers = array_at(pod, list);
    if (!std::all_of(containers.begin(), containers.end(), mounts_account)) return true;
  }
  return false;
}

/// By an earlier server: all that the pod is to see, its account's among it.
bool are_written(const Json& pod, const PodFacts& facts, const Paths& paths) {
  const std::vector<Json> volumes = file_volumes(pod, true);
  return std::all_of(volumes.rbegin(), volumes.rend(), [&](const Json& volume) {
    return holds_payload(paths.pod_volume(facts.uid, std::string(string_at(volume, "name"))));
  });
}

}  // namespace

awaitable<bool> PodFiles::refresh(ObjectPtr pod, PodFacts facts) {
  const bool was_ready = static_cast<bool>(state_);
  next_look_.reset();
  if (account_ == Account::kUnknown && are_written(pod->body(), facts, parts_.paths)) {
    account_ = Account::kGiven;
    state_ = Ok();
    const std::chrono::milliseconds spread(std::hash<std::string>()(facts.uid) %
                                           kSpreadMilliseconds);
    look_again_at(parts_.clock.wall() + kAfterRestart + spread);
    co_return true;
  }
  state_ = co_await update(std::move(pod), std::move(facts));
  co_return state_ && !was_ready;
}

awaitable<Result<>> PodFiles::update(ObjectPtr pod, PodFacts facts) {
  Result<> asked = Ok();
  if (account_ == Account::kUnknown) asked = co_await decide_account(pod);
  const std::vector<Json> volumes = file_volumes(pod->body(), gives_account());
  if (asked) asked = co_await fetch_tokens(pod, volumes);
  if (asked) co_return co_await write(std::move(pod), std::move(facts), volumes);
  look_again_at(parts_.clock.wall() + kTryAgain);
  co_return asked;
}

/// The pod's word counts, then its account's; without one it is given.
awaitable<Result<>> PodFiles::decide_account(ObjectPtr pod) {
  constexpr const char* kField = "automountServiceAccountToken";
  bool given = needs_account(pod->body());
  if (const Json* said = find(pod->body(), fmt::format("spec.{}", kField))) {
    given = given && *said != Json(false);
  } else if (given) {
    Key account = account_of(pod->body());
    CO_TRY(const ObjectPtr found, co_await parts_.api.get(kServiceAccounts, std::move(account)));
    given = bool_at(found->body(), kField, true);
  }
  account_ = given ? Account::kGiven : Account::kNotGiven;
  co_return Ok();
}

awaitable<Result<>> PodFiles::fetch_tokens(ObjectPtr pod, std::vector<Json> volumes) {
  for (const Json& volume : volumes) {
    for (const TokenWish& wish : token_wishes(volume)) {
      const auto known = tokens_.find(wish);
      if (known == tokens_.end() || parts_.clock.wall() >= known->second.renew) {
        auto token = co_await fetch(pod, wish);
        // While the old one is valid, a failure to renew it hinders nobody.
        if (!token && !tokens_.contains(wish)) co_return in_volume(token.error(), volume);
        if (token) tokens_[wish] = *std::move(token);
        if (!token) look_again_at(parts_.clock.wall() + 5s);
      }
      if (tokens_[wish].renew > parts_.clock.wall()) look_again_at(tokens_[wish].renew);
    }
  }
  co_return Ok();
}

awaitable<Result<PodFiles::Token>> PodFiles::fetch(ObjectPtr pod, TokenWish wish) {
  Json request = token_request(pod->body(), wish);
  Key account = account_of(pod->body());
  const WallTime now = parts_.clock.wall();
  CO_TRY(const Json answer,
         co_await parts_.api.request_token(std::move(account), std::move(request)));
  CO_TRY(const WallTime end, parse_time(string_at(answer, "status.expirationTimestamp")));
  Token token;
  token.text = string_at(answer, "status.token");
  token.renew = now + (end - now) * 4 / 5;
  co_return token;
}

awaitable<Result<>> PodFiles::write(ObjectPtr pod, PodFacts facts, std::vector<Json> volumes) {
  const Json& body = pod->body();
  const auto find_config = [&](ConfigKind kind, const std::string& name) {
    used_.insert(name);
    return parts_.configs.find(kind, Key{facts.ns, name});
  };
  const auto find_token = [&](const TokenWish& wish) -> Result<std::string> {
    return tokens_.at(wish).text;
  };
  const Capacity capacity = capacity_of(
      node_named(parts_.config.nodes, string_at(body, "spec.nodeName")), parts_.machine);
  Result<> state = Ok();
  for (const Json& volume : volumes) {
    auto files = plan_volume_files(volume, {body, facts, capacity, find_config, find_token});
    if (!files) {
      // What a running container sees stays; the other volumes are kept up to date.
      if (state) state = in_volume(files.error(), volume);
      continue;
    }
    std::string name(string_at(volume, "name"));
    const auto shown = shown_.find(name);
    if (shown != shown_.end() && shown->second == *files) continue;
    std::filesystem::path folder = parts_.paths.pod_volume(facts.uid, name);
    const Result<> written = co_await write_volume(std::move(folder), std::move(name),
                                                   *std::move(files), file_owner(body));
    if (written) continue;
    if (state) state = in_volume(written.error(), volume);
    look_again_at(parts_.clock.wall() + kWriteAgain);
  }
  co_return state;
}

/// A few files take less time than to ask another thread for it.
awaitable<Result<>> PodFiles::write_volume(std::filesystem::path folder, std::string volume,
                                           VolumeFiles files, FileOwner owner) {
  constexpr std::size_t kFew = 32;
  Result<> written = Ok();
  if (files.size() <= kFew) {
    written = write_payload(folder, files, owner);
  } else {
    // Kept by both: who is cancelled leaves the work behind.
    const auto kept = std::make_shared<const VolumeFiles>(std::move(files));
    written = co_await run_elsewhere(
        parts_.disk, [folder, kept, owner] { return write_payload(folder, *kept, owner); });
    files = *kept;
  }
  if (written) shown_[volume] = std::move(files);
  co_return written;
}

void PodFiles::look_again_at(WallTime time) {
  const TimePoint when = parts_.clock.now() + (time - parts_.clock.wall());
  next_look_ = std::min(next_look_.value_or(when), when);
}

}  // namespace trainyard::node
