#include "server/local_api.h"

#include "server/verbs/watcher.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

/// For those who follow everything and look only at what belongs to whom.
ObjectPtr metadata_of(const ObjectPtr& object) {
  return std::make_shared<const StoredObject>(object->metadata_only(), object->revision());
}

WriteOptions our_options() {
  WriteOptions options;
  options.writer = Writer::kSystem;
  return options;
}

class LocalWatch final : public client::Watch {
 public:
  LocalWatch(std::unique_ptr<Watcher> watcher, bool metadata_only)
      : watcher_(std::move(watcher)), metadata_only_(metadata_only) {}

  awaitable<Result<client::WatchEvent>> next() override {
    while (true) {
      CO_TRY(std::optional<client::WatchEvent> event, watcher_->try_next());
      if (event) {
        if (metadata_only_) event->object = metadata_of(event->object);
        co_return *std::move(event);
      }
      co_await watcher_->wait();
    }
  }

 private:
  std::unique_ptr<Watcher> watcher_;
  bool metadata_only_;
};

}  // namespace

Result<KindPtr> LocalApi::kind_of(const Resource& resource) const {
  KindPtr kind = verbs_.kinds().find(resource);
  if (kind != nullptr) return kind;
  return Error(Code::kNotFound,
               fmt::format("this server has no {} of {}", resource.plural, resource.api_version()));
}

awaitable<Result<ObjectPtr>> LocalApi::get(Resource resource, Key key) {
  CO_TRY(KindPtr kind, kind_of(resource));
  co_return verbs_.get(*kind, key);
}

awaitable<Result<client::Listing>> LocalApi::list(Resource resource, client::ListOptions options) {
  CO_TRY(KindPtr kind, kind_of(resource));
  const bool metadata_only = options.metadata_only;
  CO_TRY(Page page, verbs_.list(*kind, ListRequest{std::move(options), 0, "", "", ""}));
  client::Listing listing;
  listing.items = std::move(page.listing.objects);
  if (metadata_only) {
    for (ObjectPtr& item : listing.items) item = metadata_of(item);
  }
  listing.resource_version = std::to_string(page.listing.revision);
  co_return listing;
}

awaitable<Result<std::unique_ptr<client::Watch>>> LocalApi::watch(Resource resource,
                                                                  client::ListOptions options,
                                                                  std::string from_version) {
  CO_TRY(KindPtr kind, kind_of(resource));
  CO_TRY(auto watcher, Watcher::open(verbs_, kind, options, from_version));
  std::unique_ptr<client::Watch> watch =
      std::make_unique<LocalWatch>(std::move(watcher), options.metadata_only);
  co_return watch;
}

awaitable<Result<ObjectPtr>> LocalApi::create(Resource resource, std::string ns, Json object) {
  CO_TRY(KindPtr kind, kind_of(resource));
  WriteOptions options = our_options();
  options.validation = FieldValidation::kStrict;  // our own controllers must not misspell
  co_return co_await verbs_.create(kind, std::move(ns), std::move(object), options);
}

awaitable<Result<ObjectPtr>> LocalApi::update(Resource resource, Json object) {
  CO_TRY(KindPtr kind, kind_of(resource));
  Key key = key_of(object);
  const WriteOptions options = our_options();
  co_return co_await verbs_.update(kind, std::move(key), std::move(object), Part::kMain, options);
}

awaitable<Result<ObjectPtr>> LocalApi::update_status(Resource resource, Json object) {
  CO_TRY(KindPtr kind, kind_of(resource));
  Key key = key_of(object);
  const WriteOptions options = our_options();
  co_return co_await verbs_.update(kind, std::move(key), std::move(object), Part::kStatus, options);
}

awaitable<Result<ObjectPtr>> LocalApi::patch(Resource resource, Key key, client::PatchType type,
                                             Json patch, std::string subresource) {
  CO_TRY(KindPtr kind, kind_of(resource));
  const WriteOptions options = our_options();
  const Part part = subresource == "status"     ? Part::kStatus
                    : subresource == "finalize" ? Part::kFinalize
                                                : Part::kMain;
  co_return co_await verbs_.patch(kind, std::move(key), type, std::move(patch), part, options);
}

awaitable<Result<>> LocalApi::remove(Resource resource, Key key, client::DeleteOptions options) {
  CO_TRY(KindPtr kind, kind_of(resource));
  DeleteRequest request;
  request.grace_seconds = options.grace_seconds;
  request.uid = options.uid;
  request.resource_version = options.resource_version;
  request.propagation = options.propagation;
  CO_TRY_OK(co_await verbs_.remove(kind, std::move(key), std::move(request)));
  co_return Ok();
}

awaitable<Result<Json>> LocalApi::request_token(Key account, Json request) {
  co_return reviews_.request_token(account, std::move(request));
}

awaitable<Result<>> LocalApi::bind(std::vector<client::Binding> bindings) {
  return verbs_.bind(std::move(bindings));
}

}  // namespace trainyard::server
