#pragma once

#include "object/metadata.h"
#include "object/schema.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard {

/// A column of `kubectl get`, as a CustomResourceDefinition describes it.
struct Column {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  std::string json_path;
  std::int64_t priority = 0;  // above 0: only with -o wide
};

/// Everything the platform knows about a kind; read from its file in api/.
struct Kind {
  Resource resource;
  std::string kind;
  std::string list_kind;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  bool has_status = false;  // /status is a resource of its own, and spec changes raise generation
  bool custom = false;      // described by a CustomResourceDefinition, not built in
  std::vector<Column> columns;
  std::shared_ptr<const Schema> schema;
  Json open_api;  // the schema as written, references to shared types resolved
};

using SharedTypes = std::map<std::string, std::shared_ptr<const Schema>>;

/// Reads a CustomResourceDefinition (or a built-in kind written in the same form). Takes the
/// version with storage: true.
Result<Kind> read_kind(const Json& definition, const SharedTypes& shared,
                       const std::map<std::string, Json>& shared_sources);

}  // namespace trainyard
