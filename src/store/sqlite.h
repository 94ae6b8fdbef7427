#pragma once

#include "base/result.h"

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard::store {

/// One prepared statement. Text that is bound must live until it has run.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* raw) : raw_(raw) {}

  void bind(int index, std::string_view text) {
    sqlite3_bind_text64(raw_.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void bind(int index, std::int64_t number) { sqlite3_bind_int64(raw_.get(), index, number); }

  /// Steps to the next row. False: there is none.
  Result<bool> next();
  /// Runs a statement that gives no rows and makes it ready for the next time.
  Result<> run();

  std::string_view text(int column) const;
  std::int64_t integer(int column) const { return sqlite3_column_int64(raw_.get(), column); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* raw) const { sqlite3_finalize(raw); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> raw_;
};

/// One connection. Errors are kUnavailable where trying again may help: the disk is full, somebody
/// has locked the file. They are kInternal where nothing that follows can be trusted.
class Sqlite {
 public:
  static Result<Sqlite> open(const std::filesystem::path& file);

  Result<> execute(const std::string& sql);
  Result<Statement> prepare(const char* sql);
  Result<std::int64_t> query_integer(const char* sql);
  Result<std::string> query_text(const char* sql);
  bool in_transaction() const { return sqlite3_get_autocommit(raw_.get()) == 0; }
  sqlite3* raw() { return raw_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* raw) const { sqlite3_close_v2(raw); }
  };
  std::unique_ptr<sqlite3, Close> raw_;
};

Error sqlite_error(sqlite3* database);

}  // namespace trainyard::store
