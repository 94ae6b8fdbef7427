#include "store/sqlite_journal.h"

#include "base/files.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace trainyard::store {
namespace {

class SqliteJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/trainyard-journal-XXXXXX";
    folder_ = mkdtemp(pattern);
    file_ = folder_ / "store.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Row put(std::string name, std::int64_t revision) {
    return Row{"pods", Key{"default", std::move(name)}, StoredObject::from_text("{}", revision)};
  }
  static Row remove(std::string name, std::int64_t revision) {
    Row row = put(std::move(name), revision);
    row.deleted = true;
    return row;
  }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

TEST_F(SqliteJournalTest, ReadsBackWhatWasCommittedAndForgetsWhatWasDeleted) {
  {
    auto journal = open_sqlite_journal(file_);
    ASSERT_TRUE(journal) << journal.error().message();
    ASSERT_TRUE((*journal)->commit({put("a", 1), put("b", 2)}));
    ASSERT_TRUE((*journal)->commit({remove("b", 3)}));
  }
  auto journal = open_sqlite_journal(file_);
  ASSERT_TRUE(journal);
  const auto contents = (*journal)->load();
  ASSERT_TRUE(contents);
  ASSERT_EQ(contents->rows.size(), 1U);
  EXPECT_EQ(contents->rows[0].key.name, "a");
  EXPECT_EQ(contents->revision, 3) << "the deletion's revision must never be given out again";
}

TEST_F(SqliteJournalTest, RefusesDataOfANewerVersionInWords) {
  ASSERT_TRUE(open_sqlite_journal(file_));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "PRAGMA user_version = 999", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  const auto journal = open_sqlite_journal(file_);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message().find("newer trainyard"), std::string::npos)
      << journal.error().message();
}

TEST_F(SqliteJournalTest, RefusesADamagedFileAndSaysWhatToDo) {
  ASSERT_TRUE(write_file(file_, std::string(8192, 'x'), 0600));
  const auto journal = open_sqlite_journal(file_);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message().find("backup"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::store
