#include "jobs/engine/port_leases.h"

#include "base/ids.h"
#include "jobs/engine/names.h"
#include "object/status.h"

#include <fmt/format.h>

namespace trainyard::jobs {

std::optional<std::int64_t> choose_port(const PortRange& range, const std::string& uid,
                                        const std::set<std::int64_t>& taken) {
  const std::int64_t count = range.last - range.first + 1;
  if (count == 1) return range.first;
  const auto start = static_cast<std::int64_t>(fnv1a(uid) % static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t port = range.first + (start + i) % count;
    if (!taken.contains(port) && range.usable(port)) return port;
  }
  return std::nullopt;
}

awaitable<Result<std::set<std::int64_t>>> PortLeases::taken_ports() {
  std::set<std::int64_t> taken;
  std::map<std::string, std::int64_t> listed;  // by uid
  for (const Resource& kind : kinds_) {
    const client::ListOptions everywhere;
    auto jobs = co_await api_.list(kind, everywhere);
    if (jobs.failed_with(Code::kNotFound)) continue;  // a kind that this cluster does not have
    if (!jobs) co_return std::move(jobs).error();
    for (const ObjectPtr& job : jobs->items) {
      const std::int64_t port = leased_port(job->body());
      listed[std::string(uid_of(job->body()))] = port;
      if (!has_ended(job->body())) taken.insert(port);
    }
  }
  std::erase_if(leases_, [&](const auto& entry) {
    const auto& [uid, lease] = entry;
    const auto job = listed.find(uid);
    if (lease.written && job != listed.end() && job->second == lease.port) return true;
    taken.insert(lease.port);  // the list may be older than the choice
    return lease.written && job == listed.end();
  });
  co_return taken;
}

awaitable<Result<>> PortLeases::lease(Resource kind, ObjectPtr job) {
  CO_TRY(const std::set<std::int64_t> taken, co_await taken_ports());
  const std::string uid(uid_of(job->body()));
  const std::optional<std::int64_t> port = choose_port(range_, uid, taken);
  if (!port) {
    co_return Error(Code::kUnavailable,
                    fmt::format("no port from {} to {} is free for job {}: wait for another job to "
                                "end, or stop what listens on them",
                                range_.first, range_.last, name_of(job->body())));
  }
  leases_[uid] = Lease{*port, false};
  Json patch{
      {"metadata", {{"uid", uid}, {"annotations", {{kPortAnnotation, std::to_string(*port)}}}}}};
  auto patched = co_await api_.patch(std::move(kind), key_of(job->body()),
                                     client::PatchType::kMerge, std::move(patch), "");
  if (patched) {
    leases_[uid].written = true;
    co_return Ok();
  }
  leases_.erase(uid);
  if (patched.failed_with(Code::kNotFound)) co_return Ok();
  co_return std::move(patched).error();
}

}  // namespace trainyard::jobs
