#include "jobs/engine/port_leases.h"

#include "base/ids.h"
#include "jobs/engine/names.h"
#include "object/status.h"

#include <fmt/format.h>

namespace trainyard::jobs {

std::optional<std::int64_t> choose_port(const PortRange& range, const std::string& uid,
                                        const std::function<bool(std::int64_t)>& is_taken) {
  if (range.is_shared()) return range.first;
  const std::uint64_t place = fnv1a(uid);
  const auto search = [&](std::int64_t first, std::int64_t count) -> std::optional<std::int64_t> {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto start = static_cast<std::int64_t>(place % static_cast<std::uint64_t>(count));
      const std::int64_t port = first + (start + i) % count;
      if (!is_taken(port) && range.usable(port)) return port;
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

/// Port 0: none.
void PortLeases::hold(std::map<std::string, std::int64_t>& ports, const std::string& uid,
                      std::int64_t port) {
  if (const auto before = ports.find(uid); before != ports.end()) {
    const auto holders = holders_.find(before->second);
    if (--holders->second == 0) holders_.erase(holders);
    ports.erase(before);
  }
  if (port == 0) return;
  ports[uid] = port;
  ++holders_[port];
}

void PortLeases::on_job(const Json& job, bool deleted) {
  const std::string uid(uid_of(job));
  const std::int64_t port = leased_port(job);
  hold(seen_, uid, deleted || has_ended(job) ? 0 : port);
  const auto chosen = chosen_.find(uid);
  if (chosen != chosen_.end() && (deleted || chosen->second == port)) hold(chosen_, uid, 0);
}

awaitable<Result<ObjectPtr>> PortLeases::lease(Resource kind, ObjectPtr job) {
  // Who gives away what others have, because it has not heard of them yet, gives it twice.
  for (client::Informer& jobs : jobs_) co_await jobs.wait_synced();
  const std::string uid(uid_of(job->body()));
  const std::optional<std::int64_t> port =
      choose_port(range_, uid, [this](std::int64_t one) { return is_taken(one); });
  if (!port) {
    co_return Error(Code::kUnavailable,
                    fmt::format("no port from {} to {} is free for job {}: wait for another job to "
                                "end, or stop what listens on them",
                                range_.first - range_.spare, range_.last, name_of(job->body())));
  }
  hold(chosen_, uid, *port);
  Json patch{
      {"metadata", {{"uid", uid}, {"annotations", {{kPortAnnotation, std::to_string(*port)}}}}}};
  auto patched = co_await api_.patch(std::move(kind), key_of(job->body()),
                                     client::PatchType::kMerge, std::move(patch), "");
  if (patched) co_return *std::move(patched);
  hold(chosen_, uid, 0);
  if (patched.failed_with(Code::kNotFound)) co_return nullptr;
  co_return std::move(patched).error();
}

}  // namespace trainyard::jobs
