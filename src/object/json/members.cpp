#include "object/json/members.h"

namespace trainyard {

void erase_members(JsonObject& object, const std::vector<std::size_t>& positions) {
  if (positions.empty()) return;
  if (positions.size() == 1) {
    object.stable_erase(object.begin() + static_cast<std::ptrdiff_t>(positions.front()));
    return;
  }
  JsonObject kept(object.storage());
  kept.reserve(object.size() - positions.size());
  auto next = positions.begin();
  std::size_t position = 0;
  for (auto& member : object) {
    if (next != positions.end() && *next == position) {
      ++next;
    } else {
      kept.emplace(member.key(), std::move(member.value()));
    }
    ++position;
  }
  object = std::move(kept);
}

}  // namespace trainyard
