#include "cli/commands.h"
#include "object/yaml.h"

#include <fmt/format.h>

namespace trainyard::cli {

bool print_object(const Flags& flags, const ObjectPtr& object) {
  if (flags.output == "name") return print_objects(flags, {object});
  if (flags.output != "json" && flags.output != "yaml") return false;
  fmt::print("{}\n",
             flags.output == "json" ? to_pretty_text(object->body()) : to_yaml(object->body()));
  return true;
}

bool print_objects(const Flags& flags, const std::vector<ObjectPtr>& objects) {
  if (flags.output == "name") {
    for (const ObjectPtr& object : objects) fmt::print("{}\n", name_of(object->body()));
    return true;
  }
  if (flags.output != "json" && flags.output != "yaml") return false;
  JsonArray items;
  for (const ObjectPtr& object : objects) items.push_back(object->body());
  const Json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}};
  fmt::print("{}\n", flags.output == "json" ? to_pretty_text(list) : to_yaml(list));
  return true;
}

}  // namespace trainyard::cli
