#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"
#include "store/store.h"

#include <map>
#include <vector>

namespace trainyard::server {

/// Gives Services of the types NodePort and LoadBalancer their ports of the node: 30000 to 32767,
/// each to one Service. (They get no cluster address: names resolve to the pods themselves.)
class NodePorts {
 public:
  NodePorts(const store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  static constexpr std::int64_t kFirst = 30'000;
  static constexpr std::int64_t kLast = 32'767;

  /// Takes over from what is there what the server has given and a replacement leaves out.
  static void keep_given(const Json& before, Json& service);
  /// Chooses what is missing. Every port that is out of range or another Service's is told of. What
  /// is given is kept for this Service until its write can be seen.
  std::vector<FieldError> assign(Json& service);

 private:
  struct Promise {
    Key owner;
    TimePoint until;
  };
  using Owners = std::map<std::int64_t, Key>;

  Owners owners() const;
  static std::int64_t choose(const Owners& taken);
  void promise(const std::vector<std::int64_t>& ports, const Key& owner);

  const store::Store& store_;
  const Clock& clock_;
  std::map<std::int64_t, Promise> promises_;  // to writes that are not yet visible
};

}  // namespace trainyard::server
