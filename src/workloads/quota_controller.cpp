#include "workloads/quota_controller.h"

#include "object/values/quota.h"

namespace trainyard::workloads {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds kGather = 200ms;  // what changes together is counted once
constexpr std::chrono::milliseconds kRecount = 5min;

}  // namespace

QuotaController::QuotaController(Executor loop, client::Api& api, Clock& clock, ServedKinds& kinds)
    : api_(api),
      kinds_(kinds),
      controller_("quotas", loop, clock, *this),
      quotas_(loop, api, clock, kResourceQuotas),
      followers_(loop, api, clock,
                 [this](const Resource&, const ObjectPtr& object, bool) {
                   heard_of_object(object->body());
                 }),
      tasks_(loop) {
  quotas_.add_index(client::kByNamespace, client::own_namespace);
  quotas_.add_listener([this](const ObjectPtr& quota, bool) {
    follow_kinds();
    controller_.add(key_of(quota->body()));
  });
  kinds.on_change([this] { follow_kinds(); });
}

void QuotaController::start() {
  tasks_.spawn("watch quotas", quotas_.run());
  controller_.start(/*workers=*/2);
}

awaitable<void> QuotaController::stop() {
  co_await tasks_.stop();
  co_await followers_.stop();
  co_await controller_.stop();
}

std::set<Resource> QuotaController::counted(const Json& quota) const {
  std::set<Resource> resources;
  for (const auto& bound : object_at(quota, "spec.hard")) {
    const Resource* served = kinds_.find_resource(resource_behind(bound.key()));
    if (served != nullptr) resources.insert(*served);
  }
  return resources;
}

void QuotaController::follow_kinds() {
  std::set<Resource> resources;
  for (const auto& [key, quota] : quotas_.objects()) resources.merge(counted(quota->body()));
  if (resources != followers_.followed()) followers_.follow(resources);
}

void QuotaController::heard_of_object(const Json& object) {
  for (const ObjectPtr& quota :
       quotas_.by_index(client::kByNamespace, std::string(namespace_of(object)))) {
    controller_.add_after(key_of(quota->body()), kGather);
  }
}

awaitable<Result<Json>> QuotaController::count(ObjectPtr quota) {
  const Json& body = quota->body();
  Amounts total;
  client::ListOptions where;
  where.ns = namespace_of(body);
  for (const Resource& resource : counted(body)) {
    CO_TRY(const client::Listing listing, co_await api_.list(resource, where));
    for (const ObjectPtr& object : listing.items) {
      for (const auto& [name, amount] : quota_usage(object->body(), resource, body)) {
        total[name] += amount;
      }
    }
  }
  JsonObject used;
  for (const auto& bound : object_at(body, "spec.hard")) {
    if (kinds_.find_resource(resource_behind(bound.key())) == nullptr) continue;
    const auto amount = total.find(std::string(bound.key()));
    used[bound.key()] = amount == total.end() ? "0" : amount->second.to_text();
  }
  co_return Json{{"hard", object_at(body, "spec.hard")}, {"used", std::move(used)}};
}

awaitable<Result<client::Requeue>> QuotaController::reconcile(Key key) {
  auto quota = co_await api_.get(kResourceQuotas, key);
  if (quota.failed_with(Code::kNotFound)) co_return client::Requeue();
  if (!quota) co_return std::move(quota).error();
  CO_TRY(Json status, co_await count(*quota));
  const Json* before = find((*quota)->body(), "status");
  if (before == nullptr || *before != status) {
    Json updated = (*quota)->body();
    updated.get_object()["status"] = std::move(status);
    auto written = co_await api_.update_status(kResourceQuotas, std::move(updated));
    if (!written && !written.failed_with(Code::kNotFound)) co_return std::move(written).error();
  }
  co_return client::Requeue(kRecount);
}

}  // namespace trainyard::workloads
