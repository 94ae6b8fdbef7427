#include "workloads/endpoints_controller.h"

#include "object/values/selector.h"
#include "workloads/apps/ownership.h"
#include "workloads/endpoints_plan.h"
#include "workloads/text.h"

#include <fmt/format.h>

namespace trainyard::workloads {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds kGather = 100ms;  // pods that change together are one write
constexpr const char* kByLabel = "label";

// Made by us: whoever writes Endpoints by hand for a service without a selector keeps them.
constexpr const char* kManagedLabel = "endpoints.kubernetes.io/managed-by";
constexpr const char* kManager = "endpoint-controller";

/// Where the namespace ends nothing new comes; what has gone meanwhile is heard of.
Result<> done(Result<ObjectPtr> written) {
  if (written || written.failed_with(Code::kForbidden) || written.failed_with(Code::kNotFound)) {
    return Ok();
  }
  return std::move(written).error();
}

std::vector<std::string> label_entries(const Json& object, const JsonObject& labels) {
  std::vector<std::string> entries;
  for (const auto& label : labels) {
    const std::string_view name(label.key().data(), label.key().size());
    entries.push_back(fmt::format("{}/{}={}", namespace_of(object), name,
                                  label.value().is_string()
                                      ? std::string_view(label.value().get_string())
                                      : std::string_view()));
  }
  return entries;
}

std::vector<std::string> own_labels(const Json& pod) {
  return label_entries(pod, object_at(pod, "metadata.labels"));
}

/// One of those that a pod must have is enough to find the services that may select it.
std::vector<std::string> selected_label(const Json& service) {
  std::vector<std::string> entries = label_entries(service, object_at(service, "spec.selector"));
  if (entries.size() > 1) entries.resize(1);
  return entries;
}

bool selects(const Json& service, const Json& pod) {
  return LabelSelector::from_labels(object_at(service, "spec.selector")).matches(pod);
}

}  // namespace

EndpointsController::EndpointsController(Executor loop, client::Api& api, Clock& clock)
    : api_(api),
      controller_("endpoints", loop, clock, *this),
      services_(loop, api, clock, kServices),
      pods_(loop, api, clock, kPods),
      slices_(loop, api, clock, kEndpointSlices),
      tasks_(loop) {
  services_.add_index(kByLabel, selected_label);
  pods_.add_index(kByLabel, own_labels);
  slices_.add_index(client::kByOwner, client::owner_uids);
  services_.add_listener(
      [this](const ObjectPtr& service, bool) { controller_.add(key_of(service->body())); });
  pods_.add_listener(
      [this](const ObjectPtr& pod, bool deleted) { heard_of_pod(pod->body(), deleted); });
}

void EndpointsController::start() {
  tasks_.spawn("watch services", services_.run());
  tasks_.spawn("watch pods of services", pods_.run());
  tasks_.spawn("watch endpoint slices", slices_.run());
  tasks_.spawn("begin to write endpoints", begin());
}

/// Who has not heard of all pods would take some out.
awaitable<void> EndpointsController::begin() {
  co_await services_.wait_synced();
  co_await pods_.wait_synced();
  co_await slices_.wait_synced();
  controller_.start(/*workers=*/16);
}

awaitable<void> EndpointsController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

/// Those that selected it before its labels changed must hear of it too.
void EndpointsController::heard_of_pod(const Json& pod, bool deleted) {
  const Key key = key_of(pod);
  std::set<Key> services;
  if (!deleted) {
    for (const std::string& label : own_labels(pod)) {
      for (const ObjectPtr& service : services_.by_index(kByLabel, label)) {
        if (selects(service->body(), pod)) services.insert(key_of(service->body()));
      }
    }
  }
  std::set<Key> concerned = services;
  if (const auto before = behind_.find(key); before != behind_.end()) {
    concerned.insert(before->second.begin(), before->second.end());
  }
  for (const Key& service : concerned) controller_.add_after(service, kGather);
  if (services.empty()) {
    behind_.erase(key);
  } else {
    behind_[key] = std::move(services);
  }
}

awaitable<Result<client::Requeue>> EndpointsController::reconcile(Key key) {
  auto service = co_await api_.get(kServices, key);
  if (service.failed_with(Code::kNotFound)) {
    CO_TRY_OK(co_await remove(key));
    co_return client::Requeue();
  }
  if (!service) co_return std::move(service).error();
  const Json& body = (*service)->body();
  if (object_at(body, "spec.selector").empty() || is_being_deleted(body)) {
    co_return client::Requeue();
  }
  // Of those that are not known yet it will hear.
  std::vector<ObjectPtr> pods = pods_.by_index(kByLabel, selected_label(body).front());
  std::erase_if(pods, [&](const ObjectPtr& pod) { return !selects(body, pod->body()); });
  CO_TRY_OK(co_await write_endpoints(*service, endpoint_subsets(body, pods)));
  CO_TRY_OK(co_await write_slices(*service, endpoint_slices(body, pods)));
  co_return client::Requeue();
}

awaitable<Result<>> EndpointsController::write_endpoints(ObjectPtr service, JsonArray subsets) {
  const Json& body = service->body();
  const Key key = key_of(body);
  JsonObject labels = endpoint_labels(body, kManagedLabel, kManager);
  auto found = co_await api_.get(kEndpoints, key);
  if (found.failed_with(Code::kNotFound)) {
    Json made{
        {"apiVersion", "v1"},
        {"kind", "Endpoints"},
        {"metadata", {{"name", key.name}, {"namespace", key.ns}, {"labels", std::move(labels)}}},
        {"subsets", std::move(subsets)}};
    co_return done(co_await api_.create(kEndpoints, key.ns, std::move(made)));
  }
  if (!found) co_return std::move(found).error();
  const Json& before = (*found)->body();
  if (array_at(before, "subsets") == subsets && object_at(before, "metadata.labels") == labels) {
    co_return Ok();
  }
  Json updated = before;
  updated.get_object()["subsets"] = std::move(subsets);
  make_path(updated, "metadata.labels") = std::move(labels);
  co_return done(co_await api_.update(kEndpoints, std::move(updated)));
}

/// Those that are there already are changed, those that nobody needs any more go.
awaitable<Result<>> EndpointsController::write_slices(ObjectPtr service,
                                                      std::map<std::string, Json> slices) {
  const std::string uid(uid_of(service->body()));
  for (const ObjectPtr& slice : slices_.by_index(client::kByOwner, uid)) {
    const Json* owner = controller_of(slice->body());
    if (owner == nullptr || string_at(*owner, "uid") != uid) continue;
    const auto wanted = slices.find(std::string(name_of(slice->body())));
    if (wanted != slices.end()) {
      CO_TRY_OK(co_await write_slice(std::move(wanted->second), slice));
      slices.erase(wanted);
      continue;
    }
    client::DeleteOptions options;
    options.uid = uid_of(slice->body());
    auto removed = co_await api_.remove(kEndpointSlices, key_of(slice->body()), std::move(options));
    if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  }
  for (auto& [name, slice] : slices) {
    CO_TRY_OK(co_await write_slice(std::move(slice), nullptr));
  }
  co_return Ok();
}

awaitable<Result<>> EndpointsController::write_slice(Json slice, ObjectPtr before) {
  if (before == nullptr) {
    const std::string ns(namespace_of(slice));
    auto created = co_await api_.create(kEndpointSlices, ns, std::move(slice));
    if (created) slices_.note(*created);
    co_return done(std::move(created));
  }
  Json updated = before->body();
  for (const char* field : {"endpoints", "ports", "metadata.labels"}) {
    make_path(updated, field) = json_at(slice, field);
  }
  if (updated == before->body()) co_return Ok();
  auto written = co_await api_.update(kEndpointSlices, std::move(updated));
  if (written) slices_.note(*written);
  co_return done(std::move(written));
}

/// With their service go the Endpoints that were made for it, and no others.
awaitable<Result<>> EndpointsController::remove(Key key) {
  auto found = co_await api_.get(kEndpoints, key);
  if (found.failed_with(Code::kNotFound)) co_return Ok();
  if (!found) co_return std::move(found).error();
  if (label_of((*found)->body(), kManagedLabel) != kManager) co_return Ok();
  client::DeleteOptions options;
  options.uid = uid_of((*found)->body());
  auto removed = co_await api_.remove(kEndpoints, key, std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  co_return Ok();
}

}  // namespace trainyard::workloads
