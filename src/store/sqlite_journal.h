#pragma once

#include "store/journal.h"

#include <filesystem>
#include <memory>

namespace trainyard::store {

/// A SQLite file in WAL mode with synchronous=FULL: what commit() acknowledged survives kill -9
/// and a power cut. Refuses, in words, data of a newer version and damaged files.
Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::filesystem::path& file);

}  // namespace trainyard::store
