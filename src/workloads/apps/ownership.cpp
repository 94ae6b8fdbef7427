#include "workloads/apps/ownership.h"

#include "object/values/selector.h"
#include "workloads/text.h"

#include <fmt/format.h>

namespace trainyard::workloads {
namespace {

Result<std::string> expression_text(const Json& expression) {
  const std::string_view key = string_at(expression, "key");
  const std::string_view op = string_at(expression, "operator");
  std::string values;
  for (const Json& value : array_at(expression, "values")) {
    values += fmt::format("{}{}", values.empty() ? "" : ",", text_of(value));
  }
  if (op == "In") return fmt::format("{} in ({})", key, values);
  if (op == "NotIn") return fmt::format("{} notin ({})", key, values);
  if (op == "Exists") return std::string(key);
  if (op == "DoesNotExist") return fmt::format("!{}", key);
  return Error(Code::kInvalid, fmt::format("selector operator {} is not known", op));
}

Json owners_patch(const Json& object, JsonArray owners) {
  Json list = owners.empty() ? Json(nullptr) : Json(std::move(owners));
  return {{"metadata",
           {{"uid", uid_of(object)},
            {"resourceVersion", string_at(object, "metadata.resourceVersion")},
            {"ownerReferences", std::move(list)}}}};
}

}  // namespace

Result<std::string> selector_text(const Json& selector) {
  std::string text;
  for (const auto& label : object_at(selector, "matchLabels")) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", std::string_view(label.key()),
                        text_of(label.value()));
  }
  for (const Json& expression : array_at(selector, "matchExpressions")) {
    TRY(const std::string term, expression_text(expression));
    text += fmt::format("{}{}", text.empty() ? "" : ",", term);
  }
  return text;
}

Result<Claims> sort_claims(const Json& owner, const std::string& text,
                           const std::vector<ObjectPtr>& candidates) {
  TRY(const LabelSelector selector, LabelSelector::parse(text));
  Claims claims;
  for (const ObjectPtr& object : candidates) {
    const Json& body = object->body();
    const Json* controller = controller_of(body);
    const bool matches = !text.empty() && selector.matches(body);
    if (controller == nullptr) {
      const bool free = !is_being_deleted(body) && !is_being_deleted(owner);
      if (matches && free) claims.adopt.push_back(object);
    } else if (string_at(*controller, "uid") == uid_of(owner)) {
      // One that is going away keeps its owners, for the garbage collector's sake.
      if (matches || is_being_deleted(owner)) {
        claims.owned.push_back(object);
      } else if (!is_being_deleted(body)) {
        claims.release.push_back(object);
      }
    }
  }
  return claims;
}

awaitable<Result<ObjectPtr>> adopt_object(client::Api& api, Resource resource, ObjectPtr object,
                                          ObjectPtr owner) {
  JsonArray owners = array_at(object->body(), "metadata.ownerReferences");
  owners.push_back(owner_reference(owner->body()));
  Json patch = owners_patch(object->body(), std::move(owners));
  co_return co_await api.patch(resource, key_of(object->body()), client::PatchType::kMerge,
                               std::move(patch), "");
}

awaitable<Result<>> release_object(client::Api& api, Resource resource, ObjectPtr object,
                                   std::string owner_uid) {
  JsonArray others;
  for (const Json& owner : array_at(object->body(), "metadata.ownerReferences")) {
    if (string_at(owner, "uid") != owner_uid) others.push_back(owner);
  }
  Json patch = owners_patch(object->body(), std::move(others));
  auto patched = co_await api.patch(resource, key_of(object->body()), client::PatchType::kMerge,
                                    std::move(patch), "");
  if (!patched && !patched.failed_with(Code::kNotFound)) co_return std::move(patched).error();
  co_return Ok();
}

}  // namespace trainyard::workloads
