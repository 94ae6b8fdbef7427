#include "store/sqlite_journal.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace trainyard::store {
namespace {

constexpr int kSchemaVersion = 1;

constexpr const char* kCreateSchema = R"sql(
  CREATE TABLE objects (
    collection TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (collection, namespace, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO counters VALUES ('revision', 0);
)sql";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

Error sqlite_error(sqlite3* database, std::string_view doing) {
  const int code = sqlite3_errcode(database) & 0xff;
  if (code == SQLITE_FULL) {
    return Error(Code::kUnavailable,
                 "the disk that holds the data folder is full: free some space and try again");
  }
  return Error(Code::kInternal, fmt::format("{}: {}", doing, sqlite3_errmsg(database)));
}

Result<> execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return Ok();
  return sqlite_error(database, "writing to the store");
}

Result<Statement> prepare(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) !=
      SQLITE_OK) {
    return sqlite_error(database, "preparing a statement of the store");
  }
  return Statement(statement);
}

void bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  // The row outlives the step, so SQLite need not copy.
  sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

std::string column_text(sqlite3_stmt* statement, int index) {
  const void* text = sqlite3_column_blob(statement, index);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, index));
  return text == nullptr ? std::string() : std::string(static_cast<const char*>(text), size);
}

/// Runs a statement that gives no rows and makes it ready for the next time.
Result<> step_once(sqlite3* database, sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  Result<> result = Ok();
  if (code != SQLITE_DONE) result = sqlite_error(database, "writing to the store");
  sqlite3_reset(statement);
  return result;
}

Result<std::int64_t> query_integer(sqlite3* database, const char* sql) {
  TRY(const Statement statement, prepare(database, sql));
  if (sqlite3_step(statement.get()) != SQLITE_ROW) {
    return sqlite_error(database, "reading the store");
  }
  return sqlite3_column_int64(statement.get(), 0);
}

class SqliteJournal final : public Journal {
 public:
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file) {
    // SQLite would let others read it; the files that it puts beside it get the same rights.
    const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) ::close(made);
    sqlite3* raw = nullptr;
    const int opened =
        sqlite3_open_v2(file.c_str(), &raw,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    auto journal = std::make_unique<SqliteJournal>();
    journal->database_.reset(raw);
    if (opened != SQLITE_OK) return sqlite_error(raw, "opening " + file.string());
    if (auto ready = journal->set_up(); !ready) return explain(file, ready.error());
    return std::unique_ptr<Journal>(std::move(journal));
  }

  Result<Contents> load() override {
    Contents contents;
    TRY(contents.revision,
        query_integer(database_.get(), "SELECT value FROM counters WHERE name = 'revision'"));
    TRY(const Statement statement,
        prepare(database_.get(),
                "SELECT collection, namespace, name, revision, body FROM objects"));
    int code = SQLITE_OK;
    while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
      Row row;
      row.collection = column_text(statement.get(), 0);
      row.key.ns = column_text(statement.get(), 1);
      row.key.name = column_text(statement.get(), 2);
      row.object = StoredObject::from_text(column_text(statement.get(), 4),
                                           sqlite3_column_int64(statement.get(), 3));
      contents.rows.push_back(std::move(row));
    }
    if (code != SQLITE_DONE) return sqlite_error(database_.get(), "reading the store");
    return contents;
  }

  Result<> commit(const std::vector<Row>& rows) override {
    TRY_OK(execute(database_.get(), "BEGIN IMMEDIATE"));
    Result<> written = write_rows(rows);
    if (written) written = execute(database_.get(), "COMMIT");
    if (!written && sqlite3_get_autocommit(database_.get()) == 0) {
      // Whether the rollback succeeds does not matter: the error that led here is returned.
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    return written;
  }

 private:
  static Error explain(const std::filesystem::path& file, const Error& cause) {
    return Error(cause.code(),
                 fmt::format("{} cannot be used: {}. If the file is damaged, restore it from a "
                             "backup, or move it away to start empty",
                             file.string(), cause.message()));
  }

  Result<> set_up() {
    sqlite3_busy_timeout(database_.get(), 2000);
    TRY_OK(execute(database_.get(), "PRAGMA journal_mode = WAL"));
    TRY_OK(execute(database_.get(), "PRAGMA synchronous = FULL"));
    TRY(const std::int64_t version, query_integer(database_.get(), "PRAGMA user_version"));
    if (version > kSchemaVersion) {
      return Error(Code::kUnsupported,
                   fmt::format("it was written by a newer trainyard (data version {}, this binary "
                               "knows up to {}): use that version or a newer one",
                               version, kSchemaVersion));
    }
    if (version == 0) {
      TRY_OK(execute(database_.get(), "BEGIN IMMEDIATE"));
      TRY_OK(execute(database_.get(), kCreateSchema));
      TRY_OK(execute(database_.get(),
                     fmt::format("PRAGMA user_version = {}", kSchemaVersion).c_str()));
      TRY_OK(execute(database_.get(), "COMMIT"));
    }
    TRY(put_, prepare(database_.get(), "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?)"));
    TRY(remove_, prepare(database_.get(),
                         "DELETE FROM objects WHERE collection = ? AND "
                         "namespace = ? AND name = ?"));
    TRY(count_, prepare(database_.get(),
                        "UPDATE counters SET value = ? WHERE name = 'revision' AND value < ?1"));
    return Ok();
  }

  Result<> write_rows(const std::vector<Row>& rows) {
    std::int64_t highest = 0;
    for (const Row& row : rows) {
      sqlite3_stmt* statement = row.deleted ? remove_.get() : put_.get();
      bind_text(statement, 1, row.collection);
      bind_text(statement, 2, row.key.ns);
      bind_text(statement, 3, row.key.name);
      if (!row.deleted) {
        sqlite3_bind_int64(statement, 4, row.object->revision());
        bind_text(statement, 5, row.object->text());
      }
      TRY_OK(step_once(database_.get(), statement));
      highest = std::max(highest, row.object->revision());
    }
    sqlite3_bind_int64(count_.get(), 1, highest);
    return step_once(database_.get(), count_.get());
  }

  Database database_;  // before the statements: they must go first
  Statement put_;
  Statement remove_;
  Statement count_;
};

}  // namespace

Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::filesystem::path& file) {
  return SqliteJournal::open(file);
}

}  // namespace trainyard::store
