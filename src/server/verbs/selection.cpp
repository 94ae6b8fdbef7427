#include "server/verbs/selection.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

/// Says where the value of a field is found; false when the kind cannot be selected by it.
bool resolve(const Kind& kind, const std::string& field, FieldSelector& selector) {
  if (field == "metadata.name" || field == "metadata.namespace") return true;
  const auto known =
      std::find_if(kind.selectable.begin(), kind.selectable.end(),
                   [&](const SelectableField& selectable) { return selectable.name == field; });
  if (known == kind.selectable.end()) return false;
  selector.read_from(field, known->path, known->missing);
  return true;
}

}  // namespace

Result<Selection> Selection::parse(const Kind& kind, const client::ListOptions& options) {
  Selection selection;
  selection.ns_ = options.ns;
  TRY(selection.labels_, LabelSelector::parse(options.labels));
  TRY(selection.fields_, FieldSelector::parse(options.fields));
  for (const std::string& field : selection.fields_.fields()) {
    if (!resolve(kind, field, selection.fields_)) {
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
