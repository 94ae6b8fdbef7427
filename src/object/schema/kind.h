#pragma once

#include "object/schema/schema.h"
#include "object/values/metadata.h"

#include <map>
#include <memory>
#include <optional>
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

/// Where the subresource `scale` finds its values: .spec.replicas and the like.
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // may be empty
};

/// A field that objects can be selected by, beside name and namespace.
struct SelectableField {
  std::string name;     // as selectors call it: spec.unschedulable
  std::string path;     // where it stands in what is stored; mostly the same
  std::string missing;  // what its absence means: false of a boolean, 0 of a number
};

/// Everything the platform knows about one version of a kind; read from its file in api/, or from
/// a CustomResourceDefinition that a user brought.
struct Kind {
  Resource resource;
  std::string kind;
  std::string list_kind;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  bool has_status = false;      // /status is a resource of its own
  bool has_generation = false;  // counts changes of what is desired in metadata.generation
  bool custom = false;          // described by a CustomResourceDefinition, not built in
  bool has_rules = false;       // rules in CEL, which nobody evaluates here
  std::optional<ScalePaths> scale;
  std::vector<std::string> verbs;  // those that are served; empty: all
  std::vector<SelectableField> selectable;
  std::string deprecation;          // what to tell those who use this version; mostly empty
  std::string collection;           // where the objects are kept, for all versions alike
  std::string storage_api_version;  // and under which apiVersion
  std::shared_ptr<const Schema> storage_schema;  // of that version, which says the defaults
  std::int64_t defaults_since = 0;  // what was stored before this revision may lack defaults
  std::vector<Column> columns;
  std::shared_ptr<const Schema> schema;
  std::shared_ptr<const Json> definition;  // the whole file or CustomResourceDefinition
  const Json* source = nullptr;            // this version's schema inside it, as written

  bool serves(std::string_view verb) const;
};
using KindPtr = std::shared_ptr<const Kind>;

using SharedTypes = std::map<std::string, std::shared_ptr<const Schema>>;

/// Reads all served versions of a CustomResourceDefinition, or of a built-in kind written in the
/// same form. `collection` is left to the caller.
Result<std::vector<Kind>> read_kinds(std::shared_ptr<const Json> definition,
                                     const SharedTypes& shared);

/// Whether version `a` comes before `b` where clients may choose: v2, v1, v1beta1, v1alpha1, other.
bool is_preferred_version(std::string_view a, std::string_view b);

}  // namespace trainyard
