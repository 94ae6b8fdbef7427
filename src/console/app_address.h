#pragma once

#include "contract/web_apps.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::console {

/// Which app a path belongs to: /NAMESPACE/KIND/NAME and what is below it.
struct AppAddress {
  enum class Kind : std::uint8_t { kTensorBoard, kNotebook };
  Kind kind = Kind::kTensorBoard;
  Key key;

  const Resource& resource() const;
  const char* word() const;  // tensorboard, notebook
  std::string path() const;  // without a slash at its end
  auto operator<=>(const AppAddress&) const = default;
};

/// Reads a request's target as it was sent. Its first three steps are names that need no escaping:
/// a target in which they are escaped belongs to nobody.
std::optional<AppAddress> parse_app_target(std::string_view target);

/// Whether the target names the app without the slash that relative links need.
bool lacks_slash(std::string_view target, const AppAddress& app);

}  // namespace trainyard::console
