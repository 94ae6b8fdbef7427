#include "server/admission/quota_ledger.h"

#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainyard::server {
namespace {

constexpr const char* kQuotas = "resourcequotas";

const JsonObject& bounds_of(const Json& quota) {
  return object_at(quota, "spec.hard");
}

/// What a stored object counts for. What need not be read is not: its text costs less.
Amounts usage_of(const ObjectPtr& object, const Resource& resource, const Json& quota) {
  static const Json kUnread;
  return quota_usage(quota_depends_on_content(resource) ? object->body() : kUnread, resource,
                     quota);
}

void add(Amounts& total, const Amounts& more) {
  for (const auto& [name, amount] : more) total[name] += amount;
}

void subtract(Amounts& total, const Amounts& less) {
  for (const auto& [name, amount] : less) total[name] -= amount;
}

/// How much more `after` uses than `before`; nothing of what it uses less.
Amounts increase(const Json& quota, const Json* before, const Json& after,
                 const Resource& resource) {
  Amounts more = quota_usage(after, resource, quota);
  if (before != nullptr) subtract(more, quota_usage(*before, resource, quota));
  std::erase_if(more, [](const auto& entry) { return entry.second <= Quantity(); });
  return more;
}

/// Its status changes with every count; what it counts changes seldom.
bool counts_alike(const Json& quota, const Json& other) {
  const Json* spec = find(quota, "spec");
  const Json* others = find(other, "spec");
  return uid_of(quota) == uid_of(other) && spec != nullptr && others != nullptr && *spec == *others;
}

Quantity amount_of(const Amounts& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? Quantity() : found->second;
}

std::string list_text(const Amounts& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, amount.to_text());
  }
  return text;
}

}  // namespace

void QuotaLedger::reserve(const std::string& quota_uid, const Amounts& amounts, Hold& hold) {
  add((*under_way_)[quota_uid], amounts);
  hold.add([under_way = under_way_, quota_uid, amounts] {
    const auto total = under_way->find(quota_uid);
    subtract(total->second, amounts);
    std::erase_if(total->second, [](const auto& entry) { return entry.second == Quantity(); });
    if (total->second.empty()) under_way->erase(total);
  });
}

std::vector<ObjectPtr> QuotaLedger::quotas_of(const std::string& ns) {
  std::vector<ObjectPtr> quotas = store_.list(kQuotas, ns).objects;
  // Accounts of quotas that are gone.
  for (auto account = accounts_.lower_bound(Key{ns, ""});
       account != accounts_.end() && account->first.ns == ns;) {
    const bool there = std::any_of(quotas.begin(), quotas.end(), [&](const ObjectPtr& quota) {
      return name_of(quota->body()) == account->first.name;
    });
    account = there ? std::next(account) : accounts_.erase(account);
  }
  return quotas;
}

Result<> QuotaLedger::charge(const Kind& kind, const Json* before, const Json& after, Hold* hold) {
  if (!kind.namespaced) return Ok();
  if (before != nullptr && !quota_depends_on_content(kind.resource)) return Ok();
  std::vector<std::pair<ObjectPtr, Amounts>> charges;
  for (const ObjectPtr& quota : quotas_of(std::string(namespace_of(after)))) {
    const Json& body = quota->body();
    if (before == nullptr && kind.resource == kPods && matches_scopes(body, after, kPods)) {
      const std::string missing = missing_for_quota(body, after);
      if (!missing.empty()) {
        return forbidden_object(kind, std::string(name_of(after)),
                                fmt::format("failed quota: {}: {}", name_of(body), missing));
      }
    }
    Amounts more = increase(body, before, after, kind.resource);
    if (more.empty()) continue;
    TRY_OK(check(kind, after, quota, more));
    charges.emplace_back(quota, std::move(more));
  }
  if (hold == nullptr) return Ok();
  for (const auto& [quota, more] : charges) {
    reserve(std::string(uid_of(quota->body())), more, *hold);
  }
  return Ok();
}

Result<> QuotaLedger::check(const Kind& kind, const Json& object, const ObjectPtr& quota,
                            const Amounts& requested) {
  TRY(const Amounts* stored, used_of(quota));
  const Json& body = quota->body();
  const auto under_way = under_way_->find(std::string(uid_of(body)));
  Amounts asked;  // of each name that would be exceeded
  Amounts used;
  Amounts limits;
  for (const auto& [name, more] : requested) {
    Quantity taken = amount_of(*stored, name);
    if (under_way != under_way_->end()) taken += amount_of(under_way->second, name);
    const auto limit = Quantity::parse(bounds_of(body).at(name));
    if (!limit || taken + more <= *limit) continue;
    asked[name] = more;
    used[name] = taken;
    limits[name] = *limit;
  }
  if (asked.empty()) return Ok();
  return forbidden_object(
      kind, std::string(name_of(object)),
      fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", name_of(body),
                  list_text(asked), list_text(used), list_text(limits)));
}

Result<const Amounts*> QuotaLedger::used_of(const ObjectPtr& quota) {
  Account& account = accounts_[key_of(quota->body())];
  const bool same = account.quota != nullptr && counts_alike(account.quota->body(), quota->body());
  if (same) account.quota = quota;
  // Too many changes since the last look, or none yet: count afresh.
  if (!same || !catch_up(account)) {
    TRY(account, count(quota));
  }
  return &account.used;
}

Result<QuotaLedger::Account> QuotaLedger::count(const ObjectPtr& quota) {
  Account account;
  account.quota = quota;
  const Json& body = quota->body();
  std::set<Resource> resources;
  for (const auto& bound : bounds_of(body)) {
    Resource resource = resource_behind(bound.key());
    if (!resource.plural.empty()) resources.insert(std::move(resource));
  }
  const std::string ns(namespace_of(body));
  for (const Resource& resource : resources) {
    const std::string collection = store::collection_of(resource);
    for (const ObjectPtr& object : store_.list(collection, ns).objects) {
      add(account.used, usage_of(object, resource, body));
    }
    Counted counted;
    counted.resource = resource;
    TRY(counted.changes, store_.watch(collection, store_.revision(), ns));
    account.counted.push_back(std::move(counted));
  }
  return account;
}

Result<> QuotaLedger::catch_up(Account& account) {
  const Json& quota = account.quota->body();
  for (Counted& counted : account.counted) {
    while (true) {
      TRY(const std::optional<store::Change> change, counted.changes->try_next());
      if (!change) break;
      const bool both = change->type == store::Change::Type::kModified;
      if (both && !quota_depends_on_content(counted.resource)) continue;
      if (change->before != nullptr) {
        subtract(account.used, usage_of(change->before, counted.resource, quota));
      }
      if (change->type != store::Change::Type::kDeleted) {
        add(account.used, usage_of(change->object, counted.resource, quota));
      }
    }
  }
  return Ok();
}

}  // namespace trainyard::server
