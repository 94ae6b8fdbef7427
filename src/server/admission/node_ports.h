#pragma once

#include "object/values/field_errors.h"
#include "object/values/metadata.h"
#include "server/admission/hold.h"
#include "store/store.h"

#include <map>
#include <memory>
#include <vector>

namespace trainyard::server {

/// Gives Services of the types NodePort and LoadBalancer their ports of the node: 30000 to 32767,
/// each to one Service. (They get no cluster address: names resolve to the pods themselves.)
class NodePorts {
 public:
  explicit NodePorts(const store::Store& store)
      : store_(store), under_way_(std::make_shared<UnderWay>()) {}

  static constexpr std::int64_t kFirst = 30'000;
  static constexpr std::int64_t kLast = 32'767;

  /// Takes over from what is there what the server has given and a replacement leaves out.
  static void keep_given(const Json& before, Json& service);
  /// Chooses what is missing. Every port that is out of range or another Service's is told of. The
  /// hold has what is given, so that no other write under way gets it; without one, only the
  /// question is answered.
  std::vector<FieldError> assign(Json& service, Hold* hold);

 private:
  using Owners = std::map<std::int64_t, Key>;
  /// By port. A Service's name may be in two writes at once, of which the second will be refused.
  using UnderWay = std::multimap<std::int64_t, Key>;

  Owners owners() const;
  static std::int64_t choose(const Owners& taken);
  void reserve(const std::vector<std::int64_t>& ports, const Key& owner, Hold& hold);

  const store::Store& store_;
  std::shared_ptr<UnderWay> under_way_;
};

}  // namespace trainyard::server
