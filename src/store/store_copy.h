#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <filesystem>
#include <functional>
#include <optional>

namespace trainyard::store {

/// Copies a store to a file that is not there yet: all that was acknowledged when it began, and
/// nothing in half, also while a server writes to it. The file `store.revision` beside it is copied
/// too.
Result<> copy_store(const std::filesystem::path& file, const std::filesystem::path& to);

/// What becomes of an object; nothing: it stays as it is.
using EditObject = std::function<std::optional<Json>(const Json& object)>;
/// Reads all of a store that nobody uses, and puts in what `edit` makes of its objects: all of it
/// or nothing. The error says what is wrong with the store.
Result<> edit_store(const std::filesystem::path& file, const EditObject& edit);

}  // namespace trainyard::store
