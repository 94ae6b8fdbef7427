#include "workloads/web_apps/app_controller.h"

#include <fmt/format.h>

namespace trainyard::workloads {
namespace {

/// Only the pods of apps of this kind are followed.
client::ListOptions pods_of(const AppKind& kind) {
  client::ListOptions options;
  options.labels = fmt::format("tensorstack.dev/component={}", kind.word());
  return options;
}

bool is_pod_of(const Json& pod, const Json& app) {
  const Json* owner = controller_of(pod);
  return owner != nullptr && string_at(*owner, "uid") == uid_of(app);
}

}  // namespace

AppController::AppController(Executor loop, client::Api& api, Clock& clock, const AppKind& kind)
    : api_(api),
      clock_(clock),
      kind_(kind),
      events_(api, clock, fmt::format("{}-controller", kind.word())),
      controller_(kind.resource().plural, loop, clock, *this),
      apps_(loop, api, clock, kind.resource()),
      pods_(loop, api, clock, kPods, pods_of(kind)),
      tasks_(loop) {
  apps_.add_listener([this](const ObjectPtr& app, bool) { controller_.add(key_of(app->body())); });
  pods_.add_listener([this](const ObjectPtr& pod, bool) {
    const Json* owner = controller_of(pod->body());
    if (owner == nullptr || string_at(*owner, "kind") != kind_.name()) return;
    controller_.add(
        Key{std::string(namespace_of(pod->body())), std::string(string_at(*owner, "name"))});
  });
  pods_.on_gap([this] { controller_.add_all(apps_.objects()); });
}

void AppController::set_up(std::string origin, contract::IdleLimits limits) {
  origin_ = std::move(origin);
  limits_ = limits;
}

void AppController::start() {
  since_ = clock_.wall();
  tasks_.spawn("watch " + kind_.resource().plural, apps_.run());
  tasks_.spawn("watch pods of " + kind_.resource().plural, pods_.run());
  controller_.start(/*workers=*/4);
}

awaitable<void> AppController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

awaitable<Result<client::Requeue>> AppController::reconcile(Key key) {
  auto found = co_await api_.get(kind_.resource(), key);
  if (found.failed_with(Code::kNotFound)) co_return client::Requeue();  // its pod goes with it
  if (!found) co_return std::move(found).error();
  AppForm form = kind_.read((*found)->body());
  CO_TRY(AppView view, co_await look_at(*found, form));
  AppPlan plan = plan_app(kind_, form, view);
  const client::Requeue next(plan.look_again);
  CO_TRY_OK(co_await carry_out(std::move(view), std::move(form), std::move(plan)));
  co_return next;
}

awaitable<Result<AppView>> AppController::look_at(ObjectPtr app, const AppForm& form) {
  AppView view;
  view.app = app;
  CO_TRY(view.pod, co_await find_pod(app));
  CO_TRY(view.missing_claims,
         co_await missing_claims(std::string(namespace_of(app->body())), form.claims));
  CO_TRY(view.image, co_await find_image(view.pod));
  view.origin = origin_;
  view.limits = limits_;
  view.since = since_;
  view.now = clock_.wall();
  co_return view;
}

awaitable<Result<ObjectPtr>> AppController::find_pod(ObjectPtr app) {
  Key key{std::string(namespace_of(app->body())), app_pod_name(kind_, app->body())};
  auto pod = co_await api_.get(kPods, std::move(key));
  if (pod && is_pod_of((*pod)->body(), app->body())) co_return *pod;
  if (pod || pod.failed_with(Code::kNotFound)) co_return ObjectPtr();
  co_return std::move(pod).error();
}

awaitable<Result<std::vector<std::string>>> AppController::missing_claims(
    std::string ns, std::vector<std::string> claims) {
  std::vector<std::string> missing;
  for (const std::string& claim : claims) {
    auto found = co_await api_.get(kVolumeClaims, Key{ns, claim});
    if (found.failed_with(Code::kNotFound)) {
      missing.push_back(claim);
    } else if (!found) {
      co_return std::move(found).error();
    }
  }
  co_return missing;
}

awaitable<Result<std::optional<contract::ImageMap>>> AppController::find_image(ObjectPtr pod) {
  using Found = std::optional<contract::ImageMap>;
  if (pod == nullptr) co_return Found();
  Key key{contract::kImageMapsNamespace, contract::kImageMapsName};
  auto maps = co_await api_.get(kConfigMaps, std::move(key));
  if (maps.failed_with(Code::kNotFound)) co_return Found();
  if (!maps) co_return std::move(maps).error();
  const JsonArray& containers = array_at(pod->body(), "spec.containers");
  if (containers.empty()) co_return Found();
  co_return contract::find_image_map(contract::read_image_maps((*maps)->body()),
                                     std::string(string_at(containers.front(), "image")));
}

awaitable<Result<>> AppController::carry_out(AppView view, AppForm form, AppPlan plan) {
  if (plan.status) {
    CO_TRY(view.app, co_await write_status(view.app, *std::move(plan.status)));
  }
  for (const AppEvent& event : plan.events) {
    if (event.warning) {
      co_await events_.warning(view.app, event.reason, event.message);
    } else {
      co_await events_.normal(view.app, event.reason, event.message);
    }
  }
  if (plan.suspend) CO_TRY_OK(co_await suspend(view.app));
  if (plan.remove_pod) {
    client::DeleteOptions options;
    options.uid = uid_of(view.pod->body());
    auto removed = co_await api_.remove(kPods, key_of(view.pod->body()), std::move(options));
    const bool gone = removed.failed_with(Code::kNotFound) || removed.failed_with(Code::kConflict);
    if (!removed && !gone) co_return removed;
  }
  if (plan.create) co_return co_await create_all(view.app, std::move(form));
  co_return Ok();
}

awaitable<Result<ObjectPtr>> AppController::write_status(ObjectPtr app, Json status) {
  Json updated = app->body();
  updated.get_object()["status"] = std::move(status);
  co_return co_await api_.update_status(kind_.resource(), std::move(updated));
}

/// Only in the state that was judged: somebody may begin to use it this very moment.
awaitable<Result<>> AppController::suspend(ObjectPtr app) {
  const std::string version(string_at(app->body(), "metadata.resourceVersion"));
  Json patch{{"metadata", {{"resourceVersion", version}}}, {"spec", {{"suspend", true}}}};
  CO_TRY_OK(co_await api_.patch(kind_.resource(), key_of(app->body()), client::PatchType::kMerge,
                                std::move(patch), ""));
  co_return Ok();
}

awaitable<Result<>> AppController::create_all(ObjectPtr app, AppForm form) {
  const std::string ns(namespace_of(app->body()));
  form.children.emplace_back(kPods, std::move(form.pod));
  for (auto& [resource, child] : form.children) {
    const std::string name(name_of(child));
    auto created = co_await api_.create(resource, ns, std::move(child));
    if (created || created.failed_with(Code::kAlreadyExists)) continue;
    co_await events_.warning(
        app, "FailedCreate",
        fmt::format("{} {} cannot be made: {}", resource.plural, name, created.error().message()));
    co_return std::move(created).error();
  }
  co_return Ok();
}

}  // namespace trainyard::workloads
