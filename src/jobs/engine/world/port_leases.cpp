#include "jobs/engine/world/port_leases.h"

#include "base/crypto/ids.h"
#include "jobs/engine/form/names.h"
#include "object/values/status.h"

#include <fmt/format.h>

namespace trainyard::jobs {

std::optional<std::int64_t> choose_port(const PortRange& range, const std::string& uid,
                                        const std::function<bool(std::int64_t)>& is_taken,
                                        std::int64_t ports) {
  if (range.is_shared()) return range.first;
  const std::uint64_t place = fnv1a(uid);
  const auto all_free = [&](std::int64_t first) {
    for (std::int64_t port = first; port < first + ports; ++port) {
      if (is_taken(port) || !range.usable(port)) return false;
    }
    return true;
  };
  const auto search = [&](std::int64_t first, std::int64_t size) -> std::optional<std::int64_t> {
    const std::int64_t count = size - ports + 1;  // places where a row may begin
    for (std::int64_t i = 0; i < count; ++i) {
      const auto start = static_cast<std::int64_t>(place % static_cast<std::uint64_t>(count));
      const std::int64_t port = first + (start + i) % count;
      if (all_free(port)) return port;
    }
    return std::nullopt;
  };
  if (const auto port = search(range.first, range.last - range.first + 1)) return port;
  return search(range.first - range.spare, range.spare);
}

PortLeases::PortLeases(Executor loop, client::Api& api, Clock& clock, PortRange range,
                       const std::vector<Resource>& kinds)
    : api_(api), range_(std::move(range)), tasks_(loop) {
  if (range_.is_shared()) return;
  for (const Resource& kind : kinds) {
    jobs_.emplace_back(loop, api, clock, kind);
    jobs_.back().add_listener(
        [this](const ObjectPtr& job, bool deleted) { on_job(job->body(), deleted); });
  }
}

void PortLeases::start() {
  for (client::Informer& jobs : jobs_) tasks_.spawn("watch ports of jobs", jobs.run());
}

bool PortLeases::are_usable(const Json& job) const {
  const std::int64_t first = leased_port(job);
  for (std::int64_t port = first; port < first + leased_ports(job); ++port) {
    const auto holders = holders_.find(port);
    const bool is_anothers = holders != holders_.end() && holders->second.claim == nullptr;
    if (is_anothers || !range_.usable(port)) return false;
  }
  return true;
}

void PortLeases::hold(Blocks& blocks, const std::string& uid, Block block, Claims claims) {
  if (const auto before = blocks.find(uid); before != blocks.end()) {
    if (before->second == block) return;
    for (std::int64_t i = 0; i < before->second.count; ++i) {
      const auto holders = holders_.find(before->second.first + i);
      if (--holders->second.count == 0) holders_.erase(holders);
    }
    blocks.erase(before);
  }
  if (block.first == 0) return;
  blocks[uid] = block;
  for (std::int64_t port = block.first; port < block.first + block.count; ++port) {
    Holders& holders = holders_[port];
    ++holders.count;
    if (holders.claim != nullptr) continue;
    const auto made = claims.find(port);
    holders.claim = made == claims.end() ? range_.claim(port) : made->second;
  }
}

void PortLeases::on_job(const Json& job, bool deleted) {
  const std::string uid(uid_of(job));
  const Block block{leased_port(job), leased_ports(job)};
  hold(seen_, uid, deleted || has_ended(job) ? Block() : block);
  const auto chosen = chosen_.find(uid);
  if (chosen != chosen_.end() && (deleted || chosen->second.first == block.first)) {
    hold(chosen_, uid, Block());
  }
}

awaitable<Result<ObjectPtr>> PortLeases::lease(Resource kind, ObjectPtr job, std::int64_t ports) {
  // Who gives away what others have, because it has not heard of them yet, gives it twice.
  for (client::Informer& jobs : jobs_) co_await jobs.wait_synced();
  const std::string uid(uid_of(job->body()));
  Claims claims;
  const auto is_taken_or_anothers = [&](std::int64_t one) {
    if (is_taken(one)) return true;
    std::shared_ptr<const void>& claim = claims[one];
    if (claim == nullptr) claim = range_.claim(one);
    return claim == nullptr;
  };
  const std::optional<std::int64_t> port = choose_port(range_, uid, is_taken_or_anothers, ports);
  if (!port) {
    co_return Error(Code::kUnavailable,
                    fmt::format("no {} from {} to {} is free for job {}: wait for another job to "
                                "end, or stop what listens on them",
                                ports == 1 ? "port" : fmt::format("row of {} ports", ports),
                                range_.first - range_.spare, range_.last, name_of(job->body())));
  }
  const Block block{*port, ports};
  hold(chosen_, uid, block, std::exchange(claims, {}));
  JsonObject annotations{{kPortAnnotation, std::to_string(*port)}};
  if (ports > 1) annotations[kPortsAnnotation] = std::to_string(ports);
  Json patch{{"metadata", {{"uid", uid}, {"annotations", std::move(annotations)}}}};
  auto patched = co_await api_.patch(std::move(kind), key_of(job->body()),
                                     client::PatchType::kMerge, std::move(patch), "");
  if (patched) co_return *std::move(patched);
  hold(chosen_, uid, Block());
  if (patched.failed_with(Code::kNotFound)) co_return nullptr;
  co_return std::move(patched).error();
}

}  // namespace trainyard::jobs
