#include "server/verbs/definition_cleaner.h"

#include "base/log.h"
#include "server/admission/definitions.h"

namespace trainyard::server {

void DefinitionCleaner::start() {
  tasks_.spawn("definition cleaner", run());
}

awaitable<void> DefinitionCleaner::stop() {
  co_await tasks_.stop();
}

awaitable<void> DefinitionCleaner::run() {
  store::Store& store = verbs_.store();
  const std::string collection = store::collection_of(kDefinitions);
  while (true) {
    const store::Listing listing = store.list(collection, "");
    for (const ObjectPtr& definition : listing.objects) {
      if (!is_being_deleted(definition->body())) continue;
      const auto cleaned = co_await clean(definition->body());
      if (!cleaned) {
        log_error("cannot remove the objects of a deleted kind",
                  {{"kind", name_of(definition->body())}, {"cause", cleaned.error().message()}});
        co_await verbs_.clock().sleep_for(std::chrono::seconds(1));
      }
    }
    auto cursor = store.watch(collection, listing.revision);
    if (cursor) co_await (*cursor)->wait();
  }
}

awaitable<Result<>> DefinitionCleaner::clean(Json definition) {
  store::Store& store = verbs_.store();
  Resource resource{std::string(string_at(definition, "spec.group")), "",
                    std::string(string_at(definition, "spec.names.plural"))};
  const std::string collection = store::collection_of(resource);
  for (const Json& version : array_at(definition, "spec.versions")) {
    if (bool_at(version, "served", true)) resource.version = string_at(version, "name");
  }
  const KindPtr kind = verbs_.kinds().find(resource);
  while (kind != nullptr) {
    const store::Listing left = store.list(collection, "");
    if (left.objects.empty()) break;
    for (const ObjectPtr& object : left.objects) {
      if (is_being_deleted(object->body())) continue;
      DeleteRequest request;
      auto removed = co_await verbs_.remove(kind, key_of(object->body()), request);
      if (!removed && !removed.failed_with(Code::kNotFound)) co_return std::move(removed).error();
    }
    // What has finalizers of others goes when they are done.
    CO_TRY(const auto cursor, store.watch(collection, left.revision));
    co_await cursor->wait();
  }
  const KindPtr definitions = verbs_.kinds().find(kDefinitions);
  JsonArray finalizers;
  for (const Json& one : array_at(definition, "metadata.finalizers")) {
    if (one != Json(kDefinitionCleanUp)) finalizers.push_back(one);
  }
  Json patch{{"metadata", {{"finalizers", std::move(finalizers)}}}};
  const Key key{"", std::string(name_of(definition))};
  WriteOptions options;
  auto let_go = co_await verbs_.patch(definitions, key, client::PatchType::kMerge, std::move(patch),
                                      Part::kMain, options);
  if (!let_go && !let_go.failed_with(Code::kNotFound)) co_return std::move(let_go).error();
  co_return Ok();
}

}  // namespace trainyard::server
