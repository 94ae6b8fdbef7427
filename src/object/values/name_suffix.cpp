#include "object/values/name_suffix.h"

#include "base/crypto/ids.h"
#include "object/values/metadata.h"

#include <fmt/format.h>

namespace trainyard {

std::string name_suffix(const Json& object) {
  const std::string seed = std::string(name_of(object)) + std::string(uid_of(object));
  return fmt::format("{:016x}", fnv1a(seed)).substr(0, 5);
}

}  // namespace trainyard
