#pragma once

#include "object/schema/kind.h"
#include "object/values/quota.h"
#include "server/admission/hold.h"
#include "store/store.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::server {

/// Refuses what would use more than a namespace's ResourceQuotas allow. It counts what is stored
/// itself, from the store's history, so that a quota holds from the moment it exists, and what has
/// gone may be used at once; and it counts what writes under way are going to use, so that many at
/// once cannot exceed it together. Costs nothing where there is no quota.
class QuotaLedger {
 public:
  explicit QuotaLedger(store::Store& store)
      : store_(store), under_way_(std::make_shared<UnderWay>()) {}

  /// kForbidden when a quota would be exceeded by writing `after` in place of `before` (nullptr: a
  /// new object), or when a new pod does not say what a quota counts. Else the hold has what the
  /// write will use; without one, only the question is answered.
  Result<> charge(const Kind& kind, const Json* before, const Json& after, Hold* hold);

 private:
  using UnderWay = std::map<std::string, Amounts>;  // by the quota's uid
  struct Counted {
    Resource resource;
    std::unique_ptr<store::Store::Cursor> changes;
  };
  /// One quota, and what the stored objects use of it.
  struct Account {
    ObjectPtr quota;
    std::vector<Counted> counted;
    Amounts used;
  };

  std::vector<ObjectPtr> quotas_of(const std::string& ns);
  void reserve(const std::string& quota_uid, const Amounts& amounts, Hold& hold);
  Result<> check(const Kind& kind, const Json& object, const ObjectPtr& quota,
                 const Amounts& requested);
  Result<const Amounts*> used_of(const ObjectPtr& quota);
  Result<Account> count(const ObjectPtr& quota);
  static Result<> catch_up(Account& account);

  store::Store& store_;
  std::map<Key, Account> accounts_;
  std::shared_ptr<UnderWay> under_way_;
};

}  // namespace trainyard::server
