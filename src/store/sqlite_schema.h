#pragma once

#include "store/sqlite.h"

namespace trainyard::store {

/// Refuses a database of another program. Changes nothing in the file.
Result<> check_ours(Sqlite& database);
/// Makes the tables, or brings those of an older version up to date. Refuses, in words, data of a
/// newer version.
Result<> prepare_schema(Sqlite& database);

/// What a row's checksum should be.
std::uint32_t row_checksum(std::string_view collection, std::string_view ns, std::string_view name,
                           std::int64_t revision, std::string_view body);

/// What the rows should add up to, written with every commit: rows that are missing, that are of
/// another time, or that came from elsewhere are noticed even where each of them is intact.
struct Summary {
  std::int64_t revision = 0;    // the highest ever given out, also to objects that are gone
  std::int64_t count = 0;       // of rows
  std::uint64_t checksums = 0;  // their sum

  std::uint32_t checksum() const;
  void add(std::uint32_t row_checksum) { ++count, checksums += row_checksum; }
  void remove(std::uint32_t row_checksum) { --count, checksums -= row_checksum; }
  bool operator==(const Summary&) const = default;
};
Result<Summary> read_summary(Sqlite& database);

}  // namespace trainyard::store
