#pragma once

#include "store/journal.h"

#include <filesystem>
#include <memory>

namespace trainyard::store {

/// A SQLite file in WAL mode with synchronous=FULL: what commit() acknowledged survives kill -9
/// and a power cut. Refuses, in words, data of a newer version and damaged files. The highest
/// revision that may have been given out is also kept in a file beside it (`store.revision` for
/// `store.db`): revisions go on from there when the store is replaced by a backup or an empty one.
Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::filesystem::path& file);

}  // namespace trainyard::store
