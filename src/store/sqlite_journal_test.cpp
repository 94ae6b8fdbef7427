#include "base/files/files.h"
#include "store/checksum.h"
#include "store/sqlite.h"
#include "store/test_journal.h"

#include <fmt/format.h>

#include <sys/mount.h>

namespace trainyard::store {
namespace {

using testing::Test;

TEST(Checksum, IsCrc32cAndMindsWhereFieldsEnd) {
  // "123456789" gives e3069283 by the book; the length that follows it is ours.
  const auto of = [](std::string_view one, std::string_view other) {
    return Checksum().add(one).add(other).value();
  };
  EXPECT_NE(of("ab", "c"), of("a", "bc"));
  EXPECT_EQ(of("ab", "c"), of("ab", "c"));
  // The first 8 bytes of the book's check, then its ninth: both ways of walking through.
  EXPECT_EQ(Checksum().add(std::int64_t{0}).value(), 0x8c28b28aU);
}

TEST_F(JournalTest, ReadsBackWhatWasCommittedAndForgetsWhatWasDeleted) {
  {
    const auto journal = open();
    ASSERT_TRUE(journal->commit({ledger_.put("a", "{}"), ledger_.put("b", "{\"x\":1}")}));
    ASSERT_TRUE(journal->commit({ledger_.put("a", "{\"y\":\"\\u0000\"}"), ledger_.remove("b")}));
  }
  const auto contents = open()->load();
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_TRUE(Ledger::state_of(*contents) == ledger_.state());
  EXPECT_EQ(contents->revision, 4) << "the deletion's revision must never be given out again";
}

TEST_F(JournalTest, KeepsObjectsOfOneNameInDifferentPlacesApart) {
  Row other = ledger_.put("a", "{\"x\":1}");
  other.collection = "services";
  Row third = ledger_.put("a", "{\"x\":2}");
  third.key.ns = "team";
  other.before = third.before = RowState();
  ledger_ = Ledger();
  ASSERT_TRUE(open()->commit({ledger_.put("a", "{}"), other, third}));
  EXPECT_EQ(open()->load()->rows.size(), 3U);
}

TEST_F(JournalTest, RefusesDataOfANewerVersionInWords) {
  open();
  ASSERT_TRUE(Sqlite::open(file_)->execute("PRAGMA user_version = 999"));
  EXPECT_NE(refusal().find("newer trainyard"), std::string::npos) << refusal();
}

TEST_F(JournalTest, TakesOverDataOfVersion1) {
  {
    auto old = Sqlite::open(file_);
    ASSERT_TRUE(old->execute(R"sql(
      PRAGMA journal_mode = WAL;
      CREATE TABLE objects (
        collection TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
        revision INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (collection, namespace, name)) STRICT, WITHOUT ROWID;
      CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO counters VALUES ('revision', 9);
      INSERT INTO objects VALUES ('pods', 'default', 'b', 5, '{"b":1}');
      INSERT INTO objects VALUES ('pods', 'default', 'a', 7, '{"a":"字"}');
      PRAGMA user_version = 1;)sql"));
  }
  for (int start = 0; start < 2; ++start) {
    const auto contents = open()->load();
    ASSERT_TRUE(contents) << contents.error().message();
    const Ledger::States expected{{Key{"default", "a"}, {7, R"({"a":"字"})"}},
                                  {Key{"default", "b"}, {5, R"({"b":1})"}}};
    EXPECT_EQ(Ledger::state_of(*contents), expected);
    EXPECT_EQ(contents->revision, 9);
  }
}

TEST_F(JournalTest, WorksTheLogIntoTheFileWhenIdle) {
  const auto journal = open();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(journal->commit({ledger_.put("a", fmt::format("{{\"x\":{}}}", i))}));
  }
  const auto before = std::filesystem::file_size(file_);
  ASSERT_TRUE(journal->tidy(false));
  EXPECT_EQ(std::filesystem::file_size(file_), before) << "a short log can wait";
  ASSERT_TRUE(journal->tidy(true));
  EXPECT_GT(std::filesystem::file_size(file_), before);
  ASSERT_TRUE(journal->commit({ledger_.put("a", "{\"x\":99}")}));
  EXPECT_TRUE(Ledger::state_of(*journal->load()) == ledger_.state());
}

TEST_F(JournalTest, ALockedFileIsNotTheEnd) {
  const auto journal = open();
  auto other = Sqlite::open(file_);
  ASSERT_TRUE(other->execute("BEGIN IMMEDIATE"));
  const Row row = ledger_.put("a", "{}");
  EXPECT_TRUE(journal->commit({row}).failed_with(Code::kUnavailable));
  ASSERT_TRUE(other->execute("ROLLBACK"));
  EXPECT_TRUE(journal->commit({row}));
}

TEST_F(JournalTest, AFolderThatCannotBeUsedIsNotCalledDamaged) {
  file_ = folder_.path() / "missing" / "store.db";
  EXPECT_NE(refusal().find("cannot be used"), std::string::npos) << refusal();
  EXPECT_EQ(refusal().find("damaged"), std::string::npos) << refusal();
}

// ---- revisions never go back ------------------------------------------------------------------

TEST_F(JournalTest, AProperRestartSkipsNoRevision) {
  ASSERT_TRUE(open()->load());
  {
    const auto journal = open();
    ASSERT_TRUE(journal->load());
    ASSERT_TRUE(journal->commit({ledger_.put("a", "{}")}));
  }
  EXPECT_EQ(open()->load()->revision, 1);
}

TEST_F(JournalTest, AnEmptyOrOlderFileDoesNotBringRevisionsBack) {
  const std::filesystem::path backup = folder_.path() / "backup.db";
  const auto write = [&](int count) {
    const auto journal = open();
    for (int i = 0; i < count; ++i) ASSERT_TRUE(journal->commit({ledger_.put("a", "{}")}));
  };
  write(3);
  std::filesystem::copy_file(file_, backup);
  write(20);
  for (const bool empty : {false, true}) {
    std::filesystem::remove(file_);
    if (!empty) std::filesystem::copy_file(backup, file_);
    EXPECT_NE(refusal().find("--accept-loss"), std::string::npos) << refusal();
    const auto journal = *open_sqlite_journal(file_, {true});
    const auto contents = journal->load();
    ASSERT_TRUE(contents) << contents.error().message();
    EXPECT_EQ(contents->rows.size(), empty ? 0U : 1U);
    EXPECT_GE(contents->revision, 23);
  }
}

TEST_F(JournalTest, AMarkThatIsNoNumberIsRefusedInWords) {
  open();
  ASSERT_TRUE(write_file(folder_.path() / "store.revision", "12", 0600));
  EXPECT_NE(refusal().find("store.revision is damaged"), std::string::npos) << refusal();
}

// ---- a full disk ------------------------------------------------------------------------------

class FullDiskTest : public JournalTest {
 protected:
  void SetUp() override {
    disk_ = folder_.path() / "disk";
    std::filesystem::create_directory(disk_);
    if (::mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=2m") != 0) {
      GTEST_SKIP() << "needs the right to mount a small file system";
    }
    mounted_ = true;
    file_ = disk_ / "store.db";
  }
  void TearDown() override {
    if (mounted_) ::umount2(disk_.c_str(), MNT_DETACH);
  }
  std::filesystem::path disk_;
  bool mounted_ = false;
};

TEST_F(FullDiskTest, WritesFailWithAClearWordAndGoOnWhenThereIsSpaceAgain) {
  auto journal = open();
  const std::string text = "{\"x\":\"" + std::string(20'000, 'x') + "\"}";
  ASSERT_TRUE(write_file(disk_ / "ballast", std::string(500'000, 'x'), 0600));
  int refused = 0;
  Ledger::States safe;
  for (int i = 0; i < 400 && refused < 20; ++i) {
    const Ledger before = ledger_;
    const auto committed = journal->commit({ledger_.put(fmt::format("p{}", i % 90), text)});
    [[maybe_unused]] const auto tidied = journal->tidy(i % 7 == 0);
    if (committed) continue;
    ++refused;
    EXPECT_TRUE(committed.failed_with(Code::kUnavailable)) << committed.error().message();
    EXPECT_NE(committed.error().message().find("free some space"), std::string::npos)
        << committed.error().message();
    const std::int64_t revision = ledger_.revision;  // given out to nobody, used up all the same
    ledger_ = before;
    ledger_.revision = revision;
  }
  ASSERT_EQ(refused, 20);
  std::filesystem::remove(disk_ / "ballast");
  ASSERT_TRUE(journal->commit({ledger_.put("after", "{}")})) << "there is space again";
  EXPECT_TRUE(Ledger::state_of(*journal->load()) == ledger_.state());
  journal.reset();
  const auto contents = open()->load();
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_TRUE(Ledger::state_of(*contents) == ledger_.state());
}

}  // namespace
}  // namespace trainyard::store
