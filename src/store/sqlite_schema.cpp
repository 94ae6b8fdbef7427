#include "store/sqlite_schema.h"

#include "store/checksum.h"

#include <fmt/format.h>

namespace trainyard::store {
namespace {

constexpr int kSchemaVersion = 2;

// Rows have numbers as keys, so that a body stays in one leaf of the tree: in the index that a
// table WITHOUT ROWID is, one of 2 kB would lie on two pages.
constexpr const char* kCreateSchema = R"sql(
  CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (collection, namespace, name)
  ) STRICT;
  CREATE TABLE summary (
    id INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    count INTEGER NOT NULL,
    checksums INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
)sql";

Result<> write_summary(Sqlite& database, const Summary& summary) {
  return database.execute(
      fmt::format("INSERT INTO summary VALUES (1, {}, {}, {}, {})", summary.revision, summary.count,
                  static_cast<std::int64_t>(summary.checksums), summary.checksum()));
}

/// Version 1 had no checksums and kept its rows in the order of their names.
Result<> migrate_from_1(Sqlite& database) {
  TRY_OK(database.execute("ALTER TABLE objects RENAME TO objects_1"));
  TRY_OK(database.execute(kCreateSchema));
  Summary summary;
  TRY(summary.revision,
      database.query_integer("SELECT value FROM counters WHERE name = 'revision'"));
  {
    TRY(Statement read, database.prepare("SELECT collection, namespace, name, revision, body "
                                         "FROM objects_1 ORDER BY revision"));
    TRY(Statement put, database.prepare("INSERT INTO objects (collection, namespace, name, "
                                        "revision, checksum, body) VALUES (?, ?, ?, ?, ?, ?)"));
    while (true) {
      TRY(const bool found, read.next());
      if (!found) break;
      const std::uint32_t checksum =
          row_checksum(read.text(0), read.text(1), read.text(2), read.integer(3), read.text(4));
      for (const int column : {0, 1, 2}) put.bind(column + 1, read.text(column));
      put.bind(4, read.integer(3));
      put.bind(5, std::int64_t{checksum});
      put.bind(6, read.text(4));
      TRY_OK(put.run());
      summary.add(checksum);
    }
  }
  TRY_OK(write_summary(database, summary));
  return database.execute("DROP TABLE objects_1; DROP TABLE counters");
}

Result<> bring_up_to_date(Sqlite& database, std::int64_t version) {
  if (version == 1) {
    TRY_OK(migrate_from_1(database));
  } else {
    TRY_OK(database.execute(kCreateSchema));
    TRY_OK(write_summary(database, Summary()));
  }
  return database.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
}

}  // namespace

Result<> check_ours(Sqlite& database) {
  TRY(const std::int64_t tables, database.query_integer("SELECT count(*) FROM sqlite_master"));
  if (tables == 0) return Ok();
  TRY(const std::int64_t ours,
      database.query_integer("SELECT count(*) FROM sqlite_master WHERE name = 'objects'"));
  if (ours > 0) return Ok();
  TRY(const std::int64_t version, database.query_integer("PRAGMA user_version"));
  if (version == 1 || version == kSchemaVersion) {
    return Error(Code::kInternal, "its table of objects is missing");
  }
  TRY(const std::string first, database.query_text("SELECT name FROM sqlite_master LIMIT 1"));
  return Error(Code::kUnsupported,
               fmt::format("it is a database of another program (it begins with \"{}\"): move it "
                           "away or restore a backup of ours in its place, or name another folder "
                           "with --data-dir",
                           first));
}

Result<> prepare_schema(Sqlite& database) {
  TRY(const std::int64_t version, database.query_integer("PRAGMA user_version"));
  if (version == kSchemaVersion) return Ok();
  if (version > kSchemaVersion) {
    return Error(Code::kUnsupported,
                 fmt::format("it was written by a newer trainyard (data version {}, this binary "
                             "knows up to {}): use that version or a newer one",
                             version, kSchemaVersion));
  }
  TRY_OK(database.execute("BEGIN IMMEDIATE"));
  TRY_OK(bring_up_to_date(database, version));
  return database.execute("COMMIT");
}

std::uint32_t row_checksum(std::string_view collection, std::string_view ns, std::string_view name,
                           std::int64_t revision, std::string_view body) {
  return Checksum().add(collection).add(ns).add(name).add(revision).add(body).value();
}

std::uint32_t Summary::checksum() const {
  return Checksum().add(revision).add(count).add(static_cast<std::int64_t>(checksums)).value();
}

Result<Summary> read_summary(Sqlite& database) {
  TRY(Statement read,
      database.prepare("SELECT revision, count, checksums, checksum FROM summary WHERE id = 1"));
  TRY(const bool found, read.next());
  if (!found) return Error(Code::kInternal, "its summary is missing");
  Summary summary;
  summary.revision = read.integer(0);
  summary.count = read.integer(1);
  summary.checksums = static_cast<std::uint64_t>(read.integer(2));
  if (summary.checksum() == read.integer(3)) return summary;
  return Error(Code::kInternal, "its summary does not match its checksum");
}

}  // namespace trainyard::store
