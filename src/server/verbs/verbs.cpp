#include "server/verbs/verbs.h"

#include "object/apply/managed_fields.h"
#include "server/access/role_aggregation.h"
#include "server/admission/definitions.h"
#include "server/kinds/versions.h"
#include "server/status.h"
#include "server/verbs/paging.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::server {
namespace {

Result<std::int64_t> parse_revision(const std::string& text) {
  std::int64_t revision = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && revision >= 0) {
    return revision;
  }
  return Error(Code::kBadRequest, fmt::format("resourceVersion: Invalid value: \"{}\": must be a "
                                              "number that this server gave out",
                                              text));
}

bool key_less(const ObjectPtr& a, const ObjectPtr& b) {
  return key_of(a->body()) < key_of(b->body());
}

/// Cuts a listing to one page and says where the next one begins.
Page cut_page(store::Listing listing, std::int64_t limit) {
  Page page;
  const auto wanted = static_cast<std::size_t>(limit);
  if (limit > 0 && listing.objects.size() > wanted) {
    listing.objects.resize(wanted);
    page.continue_token = encode_token({listing.revision, key_of(listing.objects.back()->body())});
  }
  page.listing = std::move(listing);
  return page;
}

}  // namespace

AdmissionContext Verbs::context(const WriteOptions& options) const {
  return AdmissionContext{clock_.wall(), options.validation, options.warnings, options.duplicates};
}

ObjectPtr Verbs::present(const Kind& kind, ObjectPtr stored) const {
  if (stored == nullptr || !differs_from_stored(kind, stored->revision())) return stored;
  const std::int64_t revision = stored->revision();
  return std::make_shared<const StoredObject>(to_version(kind, stored->whole(), revision),
                                              revision);
}

std::vector<ObjectPtr> Verbs::built_in_objects(const Kind& kind) const {
  std::vector<ObjectPtr> objects;
  if (kind.resource != kDefinitions) return objects;
  for (Json& definition : kinds_.built_in_definitions()) {
    objects.push_back(built_in_definition(std::move(definition)));
  }
  std::sort(objects.begin(), objects.end(), key_less);
  return objects;
}

Result<ObjectPtr> Verbs::get(const Kind& kind, const Key& key) const {
  ObjectPtr object = store_.get(kind.collection, key);
  if (object != nullptr) return present(kind, std::move(object));
  for (ObjectPtr& built_in : built_in_objects(kind)) {
    if (name_of(built_in->body()) == key.name) return std::move(built_in);
  }
  return not_found(kind, key.name);
}

Result<Page> Verbs::list(const Kind& kind, const ListRequest& request) const {
  TRY(const Selection selection, Selection::parse(kind, request));
  store::Page where;
  where.ns = request.ns;
  if (!request.continue_token.empty()) {
    TRY(ContinueToken token, decode_token(request.continue_token));
    where.revision = token.revision;
    where.after = std::move(token.last);
  } else if (!request.resource_version.empty()) {
    TRY(const std::int64_t revision, parse_revision(request.resource_version));
    if (revision > store_.revision()) {
      return too_large_version(revision, store_.revision());
    }
    if (request.version_match == "Exact") where.revision = revision;
  }
  const bool built_in = kind.resource == kDefinitions;
  // One more than asked for tells whether there is another page.
  if (request.limit > 0 && selection.everything() && !built_in) {
    where.limit = static_cast<std::size_t>(request.limit) + 1;
  }
  TRY(store::Listing listing, store_.page(kind.collection, where));
  if (built_in) {
    for (ObjectPtr& object : built_in_objects(kind)) {
      if (where.after < key_of(object->body())) listing.objects.push_back(std::move(object));
    }
    std::sort(listing.objects.begin(), listing.objects.end(), key_less);
  }
  if (!selection.everything()) {
    std::erase_if(listing.objects,
                  [&](const ObjectPtr& object) { return !selection.matches(*object); });
  }
  Page page = cut_page(std::move(listing), request.limit);
  if (where.limit > 0 && !page.continue_token.empty()) {
    store::Page rest{request.ns, key_of(page.listing.objects.back()->body()), 0,
                     page.listing.revision};
    TRY(const store::Listing left, store_.page(kind.collection, rest));
    page.remaining = static_cast<std::int64_t>(left.objects.size());
  }
  if (differs_from_stored(kind)) {
    for (ObjectPtr& object : page.listing.objects) object = present(kind, std::move(object));
  }
  return page;
}

/// Keeps track of who set which field. Our own controllers (no manager) are noted only where
/// somebody else is: nobody applies to the pods that they make, and the notes would double them.
FieldManager Verbs::manager_of(const Kind& kind, Part part, const WriteOptions& options) const {
  FieldManager manager;
  manager.name = options.manager;
  manager.api_version = kind.resource.api_version();
  manager.time = format_time(clock_.wall());
  manager.subresource = part == Part::kStatus ? "status" : options.subresource;
  return manager;
}

Result<> Verbs::load_definitions() {
  for (const ObjectPtr& stored : store_.list(store::collection_of(kDefinitions), "").objects) {
    auto served = kinds_.put_definition(stored->body());
    if (!served) return std::move(served).error().within("a stored CustomResourceDefinition");
  }
  return Ok();
}

awaitable<Result<>> Verbs::after_write(KindPtr kind, ObjectPtr written) {
  if (kind->resource.group == "rbac.authorization.k8s.io" &&
      kind->resource.plural == "clusterroles") {
    co_return co_await write_aggregated_rules(store_);
  }
  if (kind->resource != kDefinitions) co_return Ok();
  const std::string name(name_of(written->body()));
  if (store_.get(kind->collection, Key{"", name}) == nullptr) {
    kinds_.remove_definition(name);
    co_return Ok();
  }
  co_return kinds_.put_definition(written->body());
}

/// What a definition that is being deleted describes may not come into being any more.
Result<> Verbs::check_definition_stays(const Kind& kind) const {
  if (!kind.custom) return Ok();
  const std::string name = kind.resource.plural + "." + kind.resource.group;
  const ObjectPtr definition = store_.get(store::collection_of(kDefinitions), Key{"", name});
  if (definition == nullptr || !is_being_deleted(definition->body())) return Ok();
  return Error(Code::kUnsupported,
               "create not allowed while custom resource definition is terminating");
}

}  // namespace trainyard::server
