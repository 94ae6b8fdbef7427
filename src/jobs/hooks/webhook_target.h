#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace trainyard::jobs {

/// Where a webhook goes, taken apart.
struct WebhookTarget {
  std::string origin;  // https://chat.example.org:8443: what may be shown and logged
  std::string path;    // /hooks/T0K3N?x=1: mostly the secret of it, never shown
};

/// https to anywhere, or http to this machine itself: what goes over the network is not for
/// everybody to read. Errors show nothing of the path.
Result<WebhookTarget> parse_webhook(std::string_view url);

}  // namespace trainyard::jobs
