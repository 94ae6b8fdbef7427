#include "cli/command/print.h"

#include "object/yaml/yaml.h"

#include <fmt/format.h>

namespace trainyard::cli {

bool print_value(const Flags& flags, const Json& value) {
  if (flags.output != "json" && flags.output != "yaml") return false;
  fmt::print("{}\n", flags.output == "json" ? to_pretty_text(value) : to_yaml(value));
  return true;
}

bool print_names(const Flags& flags, const std::vector<std::string>& names) {
  if (flags.output != "name") return false;
  for (const std::string& name : names) fmt::print("{}\n", name);
  return true;
}

bool print_object(const Flags& flags, const ObjectPtr& object) {
  if (flags.output == "name") return print_objects(flags, {object});
  return print_value(flags, object->body());
}

bool print_objects(const Flags& flags, const std::vector<ObjectPtr>& objects) {
  std::vector<std::string> names;
  JsonArray items;
  for (const ObjectPtr& object : objects) {
    names.emplace_back(name_of(object->body()));
    items.push_back(object->body());
  }
  return print_names(flags, names) ||
         print_value(flags, {{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}});
}

}  // namespace trainyard::cli
