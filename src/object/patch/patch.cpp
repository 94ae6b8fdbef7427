#include "object/patch/patch.h"

namespace trainyard {

void apply_merge_patch(Json& target, const Json& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  JsonObject& object = target.get_object();
  for (const auto& member : patch.get_object()) {
    if (!member.value().is_null()) {
      apply_merge_patch(object[member.key()], member.value());
    } else if (const auto found = object.find(member.key()); found != object.end()) {
      object.stable_erase(found);  // plain erase() would change the order that users see
    }
  }
}

}  // namespace trainyard
