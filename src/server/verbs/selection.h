#pragma once

#include "client/api.h"
#include "object/schema/kind.h"
#include "object/values/selector.h"

namespace trainyard::server {

/// Parsed selectors of a list or watch; refuses fields that the kind cannot be selected by.
class Selection {
 public:
  static Result<Selection> parse(const Kind& kind, const client::ListOptions& options);
  bool matches(const StoredObject& object) const;
  /// Whether everything in its namespace matches.
  bool everything() const { return labels_.empty() && fields_.empty(); }

 private:
  std::string ns_;
  LabelSelector labels_;
  FieldSelector fields_;
};

}  // namespace trainyard::server
