#include "console/visitor.h"

namespace trainyard::console {

Json to_json(const Visitor& visitor) {
  return {{"name", visitor.name},
          {"uid", visitor.uid},
          {"groups", JsonArray(visitor.groups.begin(), visitor.groups.end())},
          {"secret", visitor.secret_uid}};
}

Visitor read_visitor(const Json& json) {
  Visitor visitor;
  visitor.name = string_at(json, "name");
  visitor.uid = string_at(json, "uid");
  visitor.secret_uid = string_at(json, "secret");
  for (const Json& group : array_at(json, "groups")) {
    if (group.is_string()) visitor.groups.push_back(to_string(group.get_string()));
  }
  return visitor;
}

}  // namespace trainyard::console
