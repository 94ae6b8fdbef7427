#include "store/store_copy.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "store/revision_mark.h"
#include "store/sqlite.h"
#include "store/sqlite_journal.h"
#include "store/sqlite_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace trainyard::store {
namespace {

std::filesystem::path mark_of(std::filesystem::path file) {
  return file.replace_extension("revision");
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

/// A copy by way of SQLite reads one state of the file, whatever is written meanwhile.
Result<> copy_database(const std::filesystem::path& file, const std::filesystem::path& to) {
  TRY(Sqlite database, Sqlite::open(file));
  TRY_OK(check_ours(database));
  TRY_OK(database.execute("VACUUM INTO " + quoted(to.string())));
  std::error_code failed;
  std::filesystem::permissions(to, std::filesystem::perms(0600), failed);
  return Ok();
}

}  // namespace

Result<> copy_store(const std::filesystem::path& file, const std::filesystem::path& to) {
  if (!is_there(file)) {
    return Error(Code::kNotFound, fmt::format("there is no store in {}: no server has ever run on "
                                              "this data folder",
                                              file.parent_path().string()));
  }
  if (auto copied = copy_database(file, to); !copied) {
    return std::move(copied).error().within(file.string());
  }
  // After the store: no revision in it is higher.
  TRY(const RevisionMark mark, RevisionMark::open(mark_of(file)));
  TRY(Sqlite copy, Sqlite::open(to));
  // Of an older version's: it has none yet.
  const auto summary = read_summary(copy);
  const std::optional<std::int64_t> durable =
      summary ? std::optional(summary->revision) : std::nullopt;
  const std::int64_t highest = std::max(mark.value(), durable.value_or(0));
  return write_file(mark_of(to), RevisionMark::text_of(highest, durable), 0600);
}

Result<> edit_store(const std::filesystem::path& file, const EditObject& edit) {
  if (!is_there(file)) return Error(Code::kNotFound, "it holds no store");
  TRY(const std::unique_ptr<Journal> journal, open_sqlite_journal(file));
  TRY(const Contents contents, journal->load());
  std::int64_t revision = contents.revision;
  std::vector<Row> changed;
  for (const Row& row : contents.rows) {
    TRY(const Json object, parse_json(*row.state.text));
    std::optional<Json> edited = edit(object);
    if (!edited) continue;
    make_path(*edited, "metadata.resourceVersion") = std::to_string(++revision);
    Row next = row;
    next.before = row.state;
    next.state = RowState(StoredObject(*std::move(edited), revision));
    changed.push_back(std::move(next));
  }
  return changed.empty() ? Result<>(Ok()) : journal->commit(changed);
}

}  // namespace trainyard::store
