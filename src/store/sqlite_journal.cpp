#include "store/sqlite_journal.h"

#include "base/log.h"
#include "store/revision_mark.h"
#include "store/sqlite_schema.h"
#include "store/wal_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainyard::store {
namespace {

/// Pages of the write-ahead log, of 4 kB each, after which it is worked into the file although
/// writers wait meanwhile. With four and sixteen times as many, writes were no faster.
constexpr int kLongLog = 1000;

std::uint32_t checksum_of(const Row& row, const RowState& state) {
  return row_checksum(row.collection, row.key.ns, row.key.name, state.revision, *state.text);
}

Error damaged(const std::filesystem::path& file, const std::string& what) {
  const std::string name = file.string();
  return Error(Code::kInternal,
               fmt::format("{} is damaged: {}. To restore a backup, put it in the place of {} and "
                           "remove {}-wal and {}-shm; to start empty, move all three away; then "
                           "start once with `trainyard up --accept-loss`",
                           name, what, name, name, name));
}

/// Not damaged: what is there can be read, and is not all.
Error incomplete(const std::string& what) {
  return Error(Code::kUnavailable,
               fmt::format("writes that were acknowledged are missing: {}. To have them back, move "
                           "the data folder away and restore a backup (`trainyard restore FILE`); "
                           "to go on without them, start once with `trainyard up --accept-loss`",
                           what));
}

std::string beside(const std::filesystem::path& file, const char* suffix) {
  return file.string() + suffix;
}

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(Sqlite database, RevisionMark mark, std::filesystem::path file)
      : database_(std::move(database)), mark_(std::move(mark)), file_(std::move(file)) {}
  ~SqliteJournal() override;

  Result<> set_up();
  /// Refuses a store that lacks what was acknowledged, unless that is accepted.
  Result<> check_complete(const WalTail& log, JournalOptions options);
  /// When it is clear that the store is used: from now on is noted how far it has come.
  Result<> begin_marks(const WalTail& log);
  Result<Contents> load() override;
  Result<> commit(const std::vector<Row>& rows) override;
  Result<> tidy(bool idle) override;

 private:
  Result<std::string> what_is_missing(const WalTail& log);
  Result<Contents> read_all();
  /// Brings the summary up to date with the rows and writes both.
  Result<> write_rows(const std::vector<Row>& rows, Summary& summary);

  Sqlite database_;  // before the statements: they must go first
  Statement begin_;
  Statement put_;
  Statement remove_;
  Statement summarize_;
  Statement commit_;
  Summary summary_;    // of what is in the file
  int log_pages_ = 0;  // in the write-ahead log, not yet worked into the file
  int next_checkpoint_ = kLongLog;
  RevisionMark mark_;
  std::int64_t last_revision_ = 0;  // that may have been given out
  std::filesystem::path file_;
  std::string missing_;  // of what was acknowledged
};

Result<> SqliteJournal::set_up() {
  // Beside it nobody is expected, but people may look into the file or copy it with sqlite3.
  TRY_OK(database_.execute("PRAGMA journal_mode = WAL"));
  TRY_OK(database_.execute("PRAGMA synchronous = FULL"));
  // The files beside it stay when it is closed, empty: on a full disk they could not be made again.
  int persists = 1;
  sqlite3_file_control(database_.raw(), "main", SQLITE_FCNTL_PERSIST_WAL, &persists);
  // The log is worked into the file in tidy(), when nobody waits.
  TRY_OK(database_.execute("PRAGMA wal_autocheckpoint = 0"));
  TRY_OK(database_.execute("PRAGMA journal_size_limit = 16777216"));
  TRY_OK(database_.execute("PRAGMA secure_delete = FAST"));
  TRY_OK(database_.execute("PRAGMA cell_size_check = ON"));
  TRY_OK(prepare_schema(database_));
  TRY(summary_, read_summary(database_));
  TRY(begin_, database_.prepare("BEGIN IMMEDIATE"));
  TRY(put_, database_.prepare("INSERT INTO objects (collection, namespace, name, revision, "
                              "checksum, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO "
                              "UPDATE SET revision = ?4, checksum = ?5, body = ?6"));
  TRY(remove_, database_.prepare("DELETE FROM objects WHERE collection = ? AND namespace = ? AND "
                                 "name = ?"));
  TRY(summarize_, database_.prepare("UPDATE summary SET revision = ?, count = ?, checksums = ?, "
                                    "checksum = ? WHERE id = 1"));
  TRY(commit_, database_.prepare("COMMIT"));
  sqlite3_wal_hook(
      database_.raw(),
      [](void* pages, sqlite3*, const char*, int count) {
        *static_cast<int*>(pages) = count;
        return SQLITE_OK;
      },
      &log_pages_);
  return Ok();
}

Result<> SqliteJournal::check_complete(const WalTail& log, JournalOptions options) {
  TRY_OK(check_ours(database_));
  TRY(missing_, what_is_missing(log));
  if (missing_.empty() || options.accept_loss) return Ok();
  // Closing would work the rest of the log into the file: it stays for who wants to look.
  sqlite3_db_config(database_.raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return incomplete(missing_);
}

/// In a sentence for people; empty: nothing. Changes nothing in the file.
Result<std::string> SqliteJournal::what_is_missing(const WalTail& log) {
  if (log.lost_commits) {
    return fmt::format(
        "{} is damaged in the middle, and the commits behind that place cannot be "
        "read",
        beside(file_, "-wal"));
  }
  const std::int64_t acknowledged = mark_.durable().value_or(0);
  if (acknowledged == 0) return std::string();
  TRY(const std::int64_t tables, database_.query_integer("SELECT count(*) FROM sqlite_master"));
  Summary found;
  if (tables > 0) {
    const auto summary = read_summary(database_);
    if (!summary) return std::string();  // another fault, which is told later
    found = *summary;
  }
  if (found.revision >= acknowledged) return std::string();
  return fmt::format(
      "the last one in it has revision {}, and revision {} was acknowledged, as when "
      "{} was damaged or removed, or an older copy was put in its place",
      found.revision, acknowledged, beside(file_, "-wal"));
}

Result<> SqliteJournal::begin_marks(const WalTail& log) {
  if (!missing_.empty()) {
    log_warn("the store goes on without writes that were acknowledged (--accept-loss)",
             {{"file", file_.string()}, {"missing", missing_}});
  } else if (!mark_.durable() && summary_.revision > 0) {
    log_info("from now on a write-ahead log that is lost is noticed: until this version it was not",
             {{"file", file_.string()}});
  }
  // What lies behind the end could be taken for lost the next time.
  if (log.leftover) TRY_OK(database_.execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (missing_.empty() && mark_.durable()) return Ok();
  if (const auto noted =
          mark_.settle(std::max(mark_.value(), summary_.revision), summary_.revision);
      !noted) {
    log_warn("the revision that the store has reached is not noted yet",
             {{"cause", noted.error().message()}});
  }
  return Ok();
}

SqliteJournal::~SqliteJournal() {
  if (last_revision_ == 0) return;
  if (const auto settled = mark_.settle(last_revision_, summary_.revision); !settled) {
    log_warn("revisions will skip some numbers", {{"cause", settled.error().message()}});
  }
}

Result<Contents> SqliteJournal::load() {
  auto contents = read_all();
  if (contents || !contents.failed_with(Code::kInternal)) return contents;
  return damaged(file_, contents.error().message());
}

Result<Contents> SqliteJournal::read_all() {
  TRY(const std::string problems, database_.query_text("PRAGMA integrity_check(1)"));
  if (problems != "ok") return Error(Code::kInternal, problems);
  TRY(Statement read, database_.prepare("SELECT collection, namespace, name, revision, checksum, "
                                        "body FROM objects"));
  Contents contents;
  Summary found;
  while (true) {
    TRY(const bool more, read.next());
    if (!more) break;
    Row row;
    row.collection = read.text(0);
    row.key = Key{std::string(read.text(1)), std::string(read.text(2))};
    row.state.revision = read.integer(3);
    row.state.text = std::make_shared<const std::string>(read.text(5));
    const std::uint32_t checksum = checksum_of(row, row.state);
    if (checksum != read.integer(4)) {
      return Error(Code::kInternal, fmt::format("the object {} {} does not match its checksum",
                                                row.collection, row.key));
    }
    found.add(checksum);
    found.revision = std::max(found.revision, row.state.revision);
    contents.rows.push_back(std::move(row));
  }
  if (found.count != summary_.count || found.checksums != summary_.checksums ||
      found.revision > summary_.revision) {
    return Error(Code::kInternal,
                 fmt::format("it holds {} objects that are not the {} of its last commit, as when "
                             "a backup was put beside a newer write-ahead log",
                             found.count, summary_.count));
  }
  contents.revision = std::max(summary_.revision, mark_.value());
  last_revision_ = contents.revision;
  return contents;
}

Result<> SqliteJournal::write_rows(const std::vector<Row>& rows, Summary& summary) {
  for (const Row& row : rows) {
    if (row.before.text != nullptr) summary.remove(checksum_of(row, row.before));
    Statement& statement = row.deleted ? remove_ : put_;
    statement.bind(1, row.collection);
    statement.bind(2, row.key.ns);
    statement.bind(3, row.key.name);
    if (!row.deleted) {
      const std::uint32_t checksum = checksum_of(row, row.state);
      summary.add(checksum);
      statement.bind(4, row.state.revision);
      statement.bind(5, std::int64_t{checksum});
      statement.bind(6, *row.state.text);
    }
    TRY_OK(statement.run());
    summary.revision = std::max(summary.revision, row.state.revision);
  }
  summarize_.bind(1, summary.revision);
  summarize_.bind(2, summary.count);
  summarize_.bind(3, static_cast<std::int64_t>(summary.checksums));
  summarize_.bind(4, std::int64_t{summary.checksum()});
  return summarize_.run();
}

Result<> SqliteJournal::commit(const std::vector<Row>& rows) {
  for (const Row& row : rows) last_revision_ = std::max(last_revision_, row.state.revision);
  TRY_OK(mark_.cover(last_revision_));
  Summary summary = summary_;
  Result<> written = begin_.run();
  if (written) written = write_rows(rows, summary);
  if (written) written = commit_.run();
  if (written) {
    summary_ = summary;
    mark_.note_durable(summary_.revision);  // it is, and nobody has been told yet
    return Ok();
  }
  if (database_.in_transaction()) {
    if (const auto undone = database_.execute("ROLLBACK"); !undone) written = undone;
  }
  return written;
}

Result<> SqliteJournal::tidy(bool idle) {
  if (log_pages_ == 0 || (!idle && log_pages_ < next_checkpoint_)) return Ok();
  int pages = 0;
  int done = 0;
  const int code =
      sqlite3_wal_checkpoint_v2(database_.raw(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages, &done);
  // Who reads the file elsewhere may hold the end back: the rest has time.
  next_checkpoint_ = kLongLog + pages - done;
  if (code == SQLITE_OK && done == pages) log_pages_ = 0;
  if (code == SQLITE_OK || code == SQLITE_BUSY) return Ok();
  const Error failure = sqlite_error(database_.raw());
  if (failure.code() != Code::kInternal) return Ok();  // the log has it all
  return failure;
}

/// What the mark says of a file that is not there, or has nothing in it.
Result<> check_there(const std::filesystem::path& file, const RevisionMark& mark,
                     JournalOptions options) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) {
    if (failed || mark.durable().value_or(0) == 0 || options.accept_loss) return Ok();
    return incomplete(
        fmt::format("the file is not there, and revision {} was acknowledged", *mark.durable()));
  }
  if (std::filesystem::file_size(file, failed) != 0 || failed || mark.value() == 0) return Ok();
  return Error(
      Code::kInternal,
      fmt::format("it is empty, though revisions up to {} may have been given out", mark.value()));
}

Result<std::unique_ptr<Journal>> open_with(const std::filesystem::path& file, RevisionMark mark,
                                           JournalOptions options) {
  TRY_OK(check_there(file, mark, options));
  TRY(const WalTail log, scan_wal_file(beside(file, "-wal")));
  TRY(Sqlite database, Sqlite::open(file));
  auto journal = std::make_unique<SqliteJournal>(std::move(database), std::move(mark), file);
  TRY_OK(journal->check_complete(log, options));
  TRY_OK(journal->set_up());
  TRY_OK(journal->begin_marks(log));
  return std::unique_ptr<Journal>(std::move(journal));
}

}  // namespace

Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::filesystem::path& file,
                                                     JournalOptions options) {
  std::filesystem::path mark_file = file;
  TRY(RevisionMark mark, RevisionMark::open(mark_file.replace_extension("revision")));
  auto journal = open_with(file, std::move(mark), options);
  if (journal) return journal;
  const Error& cause = journal.error();
  if (cause.code() == Code::kInternal) return damaged(file, cause.message());
  return Error(cause.code(), fmt::format("{} cannot be used: {}", file.string(), cause.message()));
}

}  // namespace trainyard::store
