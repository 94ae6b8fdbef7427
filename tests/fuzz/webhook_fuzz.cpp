// Addresses of webhooks, which whoever may create a job writes: what is taken can be sent, and
// what is refused shows nothing of what was written but the host.
#include "fuzz.h"
#include "jobs/hooks/webhook_target.h"

#include <algorithm>

namespace trainyard::fuzz {

void run(std::string_view input) {
  const auto target = jobs::parse_webhook(input);
  if (!target) return;
  const auto plain = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
  require(std::all_of(target->path.begin(), target->path.end(), plain),
          "nothing in the path ends a line", target->path);
  require(target->path.starts_with('/'), "the path is whole", target->path);
  require(target->origin.find('@') == std::string::npos, "no password is shown", target->origin);
  const auto again = jobs::parse_webhook(target->origin + target->path);
  require(again && again->origin == target->origin && again->path == target->path,
          "what was taken apart goes together again", target->origin);
}

}  // namespace trainyard::fuzz
