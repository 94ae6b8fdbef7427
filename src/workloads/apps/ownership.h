#pragma once

#include "client/api.h"

#include <string>
#include <vector>

namespace trainyard::workloads {

/// A label selector object (matchLabels, matchExpressions) in the form that lists take.
Result<std::string> selector_text(const Json& selector);

/// What a controller has to do so that it owns what its selector selects.
struct Claims {
  std::vector<ObjectPtr> owned;    // its own, and they match
  std::vector<ObjectPtr> adopt;    // they match and belong to nobody
  std::vector<ObjectPtr> release;  // its own, but they do not match
};

/// `candidates`: what matches, and what may be owned; `text` is the selector's.
Result<Claims> sort_claims(const Json& owner, const std::string& text,
                           const std::vector<ObjectPtr>& candidates);

/// Changes ownerReferences, of the object in exactly that state.
awaitable<Result<ObjectPtr>> adopt_object(client::Api& api, Resource resource, ObjectPtr object,
                                          ObjectPtr owner);
awaitable<Result<>> release_object(client::Api& api, Resource resource, ObjectPtr object,
                                   std::string owner_uid);

}  // namespace trainyard::workloads
