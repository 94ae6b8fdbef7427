#pragma once

#include "store/journal.h"

#include <filesystem>
#include <memory>

namespace trainyard::store {

struct JournalOptions {
  /// Goes on without writes that were acknowledged and are missing: somebody was told, and agrees.
  bool accept_loss = false;
};

/// A SQLite file in WAL mode with synchronous=FULL: what commit() acknowledged survives kill -9
/// and a power cut. Refuses, in words, data of a newer version, damaged files, and a store that
/// lacks writes that were acknowledged (its write-ahead log was damaged or removed, or an older
/// copy was put in its place). The highest revision that may have been given out is also kept in a
/// file beside it (`store.revision` for `store.db`): revisions go on from there when the store is
/// replaced by a backup or an empty one.
Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::filesystem::path& file,
                                                     JournalOptions options = {});

}  // namespace trainyard::store
