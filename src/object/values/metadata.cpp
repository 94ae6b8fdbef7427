#include "object/values/metadata.h"

#include "base/check.h"
#include "object/json/tree_count.h"
#include "object/values/names.h"
#include "object/values/owners_text.h"

#include <atomic>

namespace trainyard {
namespace {

std::atomic<std::uint64_t> made_trees = 0;
/// Instead of the place where the owners were cut out: there are none.
constexpr std::uint32_t kNothingToCut = ~0U;

std::string first_of(std::vector<std::string> problems) {
  return problems.empty() ? std::string() : std::move(problems.front());
}

std::string_view entry_of(const Json& object, std::string_view map, std::string_view name) {
  const Json* entries = find(object, map);
  if (entries == nullptr || !entries->is_object()) return {};
  const Json* value = entries->get_object().if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

}  // namespace

ObjectPtr StoredObject::from_text(std::string text, std::int64_t revision) {
  return from_text(std::make_shared<const std::string>(std::move(text)), revision);
}

ObjectPtr StoredObject::from_text(SharedText text, std::int64_t revision) {
  struct Made : StoredObject {  // for make_shared: one block of memory instead of two
    Made(SharedText&& its_text, std::int64_t its_revision)
        : StoredObject(std::move(its_text), its_revision) {}
  };
  return std::make_shared<const Made>(std::move(text), revision);
}

std::uint64_t trees_made() {
  return made_trees.load(std::memory_order_relaxed);
}

Json StoredObject::read_text() const {
  made_trees.fetch_add(1, std::memory_order_relaxed);
  const OwnersPlace owners = owners_ == nullptr ? find_owners(*text_) : OwnersPlace();
  auto parsed = parse_json_without(*text_, owners.begin, owners.end);
  CHECK(parsed.has_value());
  return *std::move(parsed);
}

std::size_t StoredObject::text_size() const {
  return owners_ == nullptr ? text().size() : text_->size() + owners_->size();
}

Json StoredObject::whole() const {
  if (text_ == nullptr) return *tree_;
  auto parsed = parse_json(text());
  CHECK(parsed.has_value());
  return *std::move(parsed);
}

Json StoredObject::metadata_only() const {
  const Json read = tree_ ? Json() : read_text();
  const Json& body = tree_ ? *tree_ : read;
  JsonObject metadata = object_at(body, "metadata");
  metadata.erase("managedFields");
  return {{"apiVersion", string_at(body, "apiVersion")},
          {"kind", string_at(body, "kind")},
          {"metadata", std::move(metadata)}};
}

void StoredObject::write_text() const {
  if (text_ == nullptr) {
    text_ = std::make_shared<const std::string>(to_text(*tree_));
    return;
  }
  std::string whole;
  whole.reserve(text_->size() + owners_->size());
  whole.append(*text_, 0, cut_).append(*owners_).append(*text_, cut_);
  text_ = std::make_shared<const std::string>(std::move(whole));
  owners_ = nullptr;
  cut_ = 0;
  looked_at_ = true;
}

void StoredObject::rest(SharedOwners& shared) const {
  if (text_ == nullptr) write_text();
  tree_.reset();
  if (cut_ != 0) return;
  const OwnersPlace owners = find_owners(*text_);
  cut_ = owners.is_there() ? static_cast<std::uint32_t>(owners.begin) : kNothingToCut;
  if (!owners.is_there()) return;
  const std::string_view text = *text_;
  owners_ = shared.share(text.substr(owners.begin, owners.end - owners.begin));
  std::string rest;
  rest.reserve(text.size() - owners_->size());
  rest.append(text, 0, owners.begin).append(text, owners.end);
  text_ = std::make_shared<const std::string>(std::move(rest));
}

bool Kept::rest(SharedOwners& shared) const {
  if (object_ == nullptr) return true;
  if (object_.use_count() > object_->keepers_) return false;
  object_->rest(shared);
  return true;
}

void Kept::rest_if_idle(SharedOwners& shared) const {
  if (!std::exchange(object_->looked_at_, false)) (void)rest(shared);
}

Key key_of(const Json& object) {
  return Key{std::string(namespace_of(object)), std::string(name_of(object))};
}

std::string_view label_of(const Json& object, std::string_view name) {
  return entry_of(object, "metadata.labels", name);
}

std::string_view annotation_of(const Json& object, std::string_view name) {
  return entry_of(object, "metadata.annotations", name);
}

bool is_being_deleted(const Json& object) {
  return !string_at(object, "metadata.deletionTimestamp").empty();
}

const Json* controller_of(const Json& object) {
  for (const Json& owner : array_at(object, "metadata.ownerReferences")) {
    if (bool_at(owner, "controller")) return &owner;
  }
  return nullptr;
}

Json owner_reference(const Json& owner) {
  return {{"apiVersion", string_at(owner, "apiVersion")},
          {"kind", string_at(owner, "kind")},
          {"name", name_of(owner)},
          {"uid", uid_of(owner)},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

std::string check_label_name(std::string_view name) {
  return first_of(label_problems(name));
}

std::string check_subdomain_name(std::string_view name) {
  return first_of(subdomain_problems(name));
}

}  // namespace trainyard

fmt::format_context::iterator fmt::formatter<trainyard::Key>::format(
    const trainyard::Key& key, fmt::format_context& context) const {
  return fmt::format_to(context.out(), "{}{}{}", key.ns, key.ns.empty() ? "" : "/", key.name);
}
