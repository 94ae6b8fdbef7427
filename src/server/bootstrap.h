#pragma once

#include "server/verbs/verbs.h"

namespace trainyard::server {

/// Creates what every cluster has from its first moment: the namespaces, the default roles and
/// their bindings, the storage class. What is there already stays as it is, save that default roles
/// learn what a newer version of this program gives them.
awaitable<Result<>> bootstrap(Verbs& verbs);

}  // namespace trainyard::server
