#include "workloads/account_controller.h"

namespace trainyard::workloads {
namespace {

constexpr const char* kAccount = "default";
constexpr const char* kBundle = "kube-root-ca.crt";

client::ListOptions by_name(const char* name) {
  client::ListOptions options;
  options.fields = std::string("metadata.name=") + name;
  return options;
}

/// A namespace that has begun to go away takes nothing new; that is no failure.
Result<> unless_ending(Result<ObjectPtr> created) {
  if (created || created.failed_with(Code::kAlreadyExists) ||
      created.failed_with(Code::kForbidden) || created.failed_with(Code::kNotFound)) {
    return Ok();
  }
  return std::move(created).error();
}

}  // namespace

AccountController::AccountController(Executor loop, client::Api& api, Clock& clock,
                                     std::string ca_bundle)
    : api_(api),
      ca_bundle_(std::move(ca_bundle)),
      controller_("service accounts", loop, clock, *this),
      namespaces_(loop, api, clock, kNamespaces),
      accounts_(loop, api, clock, kServiceAccounts, by_name(kAccount)),
      config_maps_(loop, api, clock, kConfigMaps, by_name(kBundle)),
      tasks_(loop) {
  namespaces_.add_listener([this](const ObjectPtr& ns, bool deleted) {
    if (!deleted) controller_.add(key_of(ns->body()));
  });
  const auto look_at_namespace = [this](const ObjectPtr& object, bool) {
    controller_.add(Key{"", std::string(namespace_of(object->body()))});
  };
  accounts_.add_listener(look_at_namespace);
  config_maps_.add_listener(look_at_namespace);
}

void AccountController::start() {
  tasks_.spawn("watch namespaces for accounts", namespaces_.run());
  tasks_.spawn("watch service accounts", accounts_.run());
  tasks_.spawn("watch CA bundles", config_maps_.run());
  controller_.start(/*workers=*/4);
}

awaitable<void> AccountController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

awaitable<Result<client::Requeue>> AccountController::reconcile(Key key) {
  auto ns = co_await api_.get(kNamespaces, key);
  if (ns.failed_with(Code::kNotFound)) co_return client::Requeue();
  if (!ns) co_return std::move(ns).error();
  if (is_being_deleted((*ns)->body())) co_return client::Requeue();
  CO_TRY_OK(co_await provide_account(key.name));
  CO_TRY_OK(co_await provide_ca(key.name));
  co_return client::Requeue();
}

awaitable<Result<>> AccountController::provide_account(std::string ns) {
  const Key key{ns, kAccount};
  auto found = co_await api_.get(kServiceAccounts, key);
  if (found) co_return Ok();
  if (!found.failed_with(Code::kNotFound)) co_return std::move(found).error();
  Json account{
      {"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", {{"name", kAccount}}}};
  co_return unless_ending(co_await api_.create(kServiceAccounts, ns, std::move(account)));
}

awaitable<Result<>> AccountController::provide_ca(std::string ns) {
  const Key key{ns, kBundle};
  Json data{{"ca.crt", ca_bundle_}};
  auto found = co_await api_.get(kConfigMaps, key);
  if (found.failed_with(Code::kNotFound)) {
    Json config_map{{"apiVersion", "v1"},
                    {"kind", "ConfigMap"},
                    {"metadata",
                     {{"name", kBundle},
                      {"annotations",
                       {{"kubernetes.io/description",
                         "The certificate authority by which pods know the API server."}}}}},
                    {"data", std::move(data)}};
    co_return unless_ending(co_await api_.create(kConfigMaps, ns, std::move(config_map)));
  }
  if (!found) co_return std::move(found).error();
  if (object_at((*found)->body(), "data") == data.get_object()) co_return Ok();
  Json restored = (*found)->body();
  restored.get_object()["data"] = std::move(data);
  co_return unless_ending(co_await api_.update(kConfigMaps, std::move(restored)));
}

}  // namespace trainyard::workloads
