#include "store/sqlite.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace trainyard::store {

Error sqlite_error(sqlite3* database) {
  const char* message = sqlite3_errmsg(database);
  switch (sqlite3_extended_errcode(database)) {
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_SHMSIZE:
      return Error(Code::kUnavailable,
                   fmt::format("the disk that holds the data folder refuses writes ({}): see that "
                               "it has space and is writable, and try again",
                               message));
    default:
      break;
  }
  switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_FULL:
      return Error(Code::kUnavailable,
                   "the disk that holds the data folder is full: free some space and try again");
    case SQLITE_BUSY:
      return Error(Code::kUnavailable, "another program has locked the store: try again");
    case SQLITE_READONLY:
      return Error(Code::kUnavailable,
                   "the data folder cannot be written to: make it writable and try again");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return Error(Code::kUnavailable, message);
    case SQLITE_NOMEM:
      return Error(Code::kUnavailable, "there is not enough memory to write to the store");
    default:
      return Error(Code::kInternal, message);
  }
}

Result<bool> Statement::next() {
  const int code = sqlite3_step(raw_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return sqlite_error(sqlite3_db_handle(raw_.get()));
}

Result<> Statement::run() {
  Result<> result = Ok();
  if (sqlite3_step(raw_.get()) != SQLITE_DONE) {
    result = sqlite_error(sqlite3_db_handle(raw_.get()));
  }
  sqlite3_reset(raw_.get());
  return result;
}

std::string_view Statement::text(int column) const {
  const void* text = sqlite3_column_blob(raw_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(raw_.get(), column));
  return text == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(text), size);
}

Result<Sqlite> Sqlite::open(const std::filesystem::path& file) {
  // SQLite would let others read it; the files that it puts beside it get the same rights.
  const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
  sqlite3* raw = nullptr;
  const int opened =
      sqlite3_open_v2(file.c_str(), &raw,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Sqlite database;
  database.raw_.reset(raw);
  if (opened != SQLITE_OK) return sqlite_error(raw);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 2000);
  return database;
}

Result<> Sqlite::execute(const std::string& sql) {
  if (sqlite3_exec(raw_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return Ok();
  return sqlite_error(raw_.get());
}

Result<Statement> Sqlite::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(raw_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) !=
      SQLITE_OK) {
    return sqlite_error(raw_.get());
  }
  return Statement(statement);
}

Result<std::int64_t> Sqlite::query_integer(const char* sql) {
  TRY(Statement statement, prepare(sql));
  TRY(const bool found, statement.next());
  if (!found) return Error(Code::kInternal, fmt::format("nothing found by {}", sql));
  return statement.integer(0);
}

Result<std::string> Sqlite::query_text(const char* sql) {
  TRY(Statement statement, prepare(sql));
  TRY(const bool found, statement.next());
  if (!found) return Error(Code::kInternal, fmt::format("nothing found by {}", sql));
  return std::string(statement.text(0));
}

}  // namespace trainyard::store
