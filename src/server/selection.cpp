#include "server/selection.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

bool is_selectable(const Kind& kind, const std::string& field) {
  if (field == "metadata.name" || field == "metadata.namespace") return true;
  return std::find(kind.selectable.begin(), kind.selectable.end(), field) != kind.selectable.end();
}

}  // namespace

Result<Selection> Selection::parse(const Kind& kind, const client::ListOptions& options) {
  Selection selection;
  selection.ns_ = options.ns;
  TRY(selection.labels_, LabelSelector::parse(options.labels));
  TRY(selection.fields_, FieldSelector::parse(options.fields));
  for (const std::string& field : selection.fields_.fields()) {
    if (!is_selectable(kind, field)) {
      return Error(Code::kBadRequest, fmt::format("field label not supported: {}", field));
    }
  }
  return selection;
}

bool Selection::matches(const StoredObject& object) const {
  if (ns_.empty() && everything()) return true;  // without a look into it, which would cost memory
  const Json& body = object.body();
  return (ns_.empty() || namespace_of(body) == ns_) && labels_.matches(body) &&
         fields_.matches(body);
}

}  // namespace trainyard::server
