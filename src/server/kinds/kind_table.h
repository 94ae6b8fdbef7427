#pragma once

#include "object/schema/kind.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::server {

inline const Resource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

/// The kinds that this server serves: those of api/, which are built into the binary, and those of
/// the CustomResourceDefinitions that users have brought.
class KindTable {
 public:
  static Result<KindTable> load();

  /// Null when no such resource is served. A kind stays as it was for who holds it.
  KindPtr find(const Resource& resource) const;
  /// Ordered by group, the preferred version first, then by plural name.
  const std::vector<KindPtr>& all() const { return all_; }

  /// Serves what a user's definition describes, in place of what a definition of the same name
  /// described before.
  Result<> put_definition(const Json& definition);
  void remove_definition(const std::string& name);
  /// Whether the name (plural.group) is that of a kind of ours.
  bool is_built_in(const std::string& definition_name) const;
  /// Our own custom kinds as the CustomResourceDefinitions that a cluster would have. Made anew at
  /// each call: they are large and rarely asked for.
  std::vector<Json> built_in_definitions() const;

  /// Rises with every change, for those who keep answers made from this table.
  std::uint64_t generation() const { return generation_; }
  /// The types of api/types, by name; custom kinds have them without defaults.
  const std::map<std::string, Json>& shared_types(bool custom) const;

 private:
  /// The shared types, each compiled after the ones that it refers to.
  struct Types {
    Result<> compile_all();
    Result<> compile(const std::string& name);
    Result<> compile_references(const Json& schema);
    std::map<std::string, Json> sources;
    SharedTypes compiled;
  };

  Result<> load_types();
  Result<> add(Json definition, bool built_in);
  void rebuild();

  Types built_in_types_;
  Types custom_types_;
  std::map<std::string, std::vector<KindPtr>> built_in_;  // by definition name
  std::map<std::string, std::vector<KindPtr>> users_;
  std::vector<KindPtr> all_;
  std::map<Resource, KindPtr> by_resource_;
  std::uint64_t generation_ = 0;
};

/// Puts the shared types in place of their names: what others see of a schema is plain OpenAPI.
Json expand_types(const Json& schema, const std::map<std::string, Json>& shared);

}  // namespace trainyard::server
