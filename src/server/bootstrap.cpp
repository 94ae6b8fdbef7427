#include "server/bootstrap.h"

#include "client/watching/parallel.h"
#include "server/access/rbac.h"
#include "server/access/role_aggregation.h"

namespace trainyard::server {
namespace {

Json make_namespace(const char* name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

Json local_storage_class() {
  return {{"apiVersion", "storage.k8s.io/v1"},
          {"kind", "StorageClass"},
          {"metadata",
           {{"name", "local"},
            {"annotations", {{"storageclass.kubernetes.io/is-default-class", "true"}}}}},
          {"provisioner", "trainyard.dev/local"},
          {"reclaimPolicy", "Delete"},
          {"volumeBindingMode", "Immediate"}};
}

/// In this order: what is in a namespace comes after it.
std::vector<Json> first_namespaces() {
  return {make_namespace("default"), make_namespace("kube-system"), make_namespace("kube-public"),
          make_namespace("kube-node-lease")};
}

KindPtr kind_of(const Verbs& verbs, const Json& object) {
  for (const KindPtr& kind : verbs.kinds().all()) {
    if (kind->kind == string_at(object, "kind") &&
        kind->resource.api_version() == string_at(object, "apiVersion")) {
      return kind;
    }
  }
  return nullptr;
}

awaitable<Result<>> create_or_extend(Verbs& verbs, Json object) {
  const KindPtr kind = kind_of(verbs, object);
  if (kind == nullptr) co_return Error(Code::kInternal, "not served: " + to_text(object));
  const Key key = key_of(object);
  WriteOptions options;
  if (const auto stored = verbs.get(*kind, key)) {
    auto extended = updated_default_role((*stored)->body(), object);
    if (!extended) co_return Ok();
    CO_TRY_OK(co_await verbs.update(kind, key, *std::move(extended), Part::kMain, options));
    co_return Ok();
  }
  auto created = co_await verbs.create(kind, key.ns, std::move(object), options);
  if (!created && !created.failed_with(Code::kAlreadyExists)) co_return std::move(created).error();
  co_return Ok();
}

/// All at once, so that they share a commit: a first start takes no longer than another.
awaitable<Result<>> create_all(Verbs& verbs, std::vector<Json> objects) {
  constexpr std::size_t kAtOnce = 64;
  const auto create = [&](std::size_t i) { return create_or_extend(verbs, std::move(objects[i])); };
  co_return co_await client::run_parallel(objects.size(), kAtOnce, create);
}

}  // namespace

awaitable<Result<>> bootstrap(Verbs& verbs) {
  CO_TRY_OK(co_await create_all(verbs, first_namespaces()));
  std::vector<Json> others = default_roles();
  others.push_back(local_storage_class());
  CO_TRY_OK(co_await create_all(verbs, std::move(others)));
  co_return co_await write_aggregated_rules(verbs.store());
}

}  // namespace trainyard::server
