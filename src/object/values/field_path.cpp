#include "object/values/field_path.h"

#include <fmt/format.h>

#include <iterator>

namespace trainyard {

std::string FieldPath::written(bool keys_in_brackets) const {
  std::string text;
  append_to(text, keys_in_brackets);
  return text;
}

void FieldPath::append_to(std::string& text, bool keys_in_brackets) const {
  if (parent_ != nullptr) parent_->append_to(text, keys_in_brackets);
  switch (kind_) {
    case Kind::kRoot:
      return;
    case Kind::kKey:
      if (keys_in_brackets) {
        text += fmt::format("[{}]", name_);
        return;
      }
      [[fallthrough]];
    case Kind::kField:
      if (!text.empty()) text += '.';
      text += name_;
      return;
    case Kind::kIndex:
      text += fmt::format("[{}]", position_);
      return;
  }
}

}  // namespace trainyard
