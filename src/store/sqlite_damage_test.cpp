#include "base/files/files.h"
#include "store/sqlite.h"
#include "store/test_journal.h"

#include <fmt/format.h>

#include <random>

namespace trainyard::store {
namespace {

class DamageTest : public JournalTest {
 protected:
  /// A file with several pages of each kind, among them free ones.
  void SetUp() override {
    {
      const auto journal = open();
      for (int i = 0; i < 40; ++i) {
        std::vector<Row> rows;
        for (int k = 0; k < 3; ++k) {
          const std::string body(static_cast<std::size_t>(100 + i * 40), 'b');
          rows.push_back(ledger_.put(fmt::format("pod-{}-{}", i, k), "{\"x\":\"" + body + "\"}"));
        }
        ASSERT_TRUE(journal->commit(rows));
      }
      for (int i = 0; i < 40; i += 3) {
        ASSERT_TRUE(journal->commit({ledger_.remove(fmt::format("pod-{}-1", i))}));
      }
    }
    intact_ = *read_file(file_);
    mark_ = *read_file(folder_.path() / "store.revision");
  }

  void store(const std::string& content) {
    ASSERT_TRUE(write_file(file_, content, 0600));
    ASSERT_TRUE(write_file(folder_.path() / "store.revision", mark_, 0600));
    for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(file_.string() + beside);
  }
  void expect_words(const std::string& refused) const {
    EXPECT_NE(refused.find(file_.string()), std::string::npos) << refused;
    const bool says_what_to_do = refused.find("restore a backup") != std::string::npos ||
                                 refused.find("newer trainyard") != std::string::npos;
    EXPECT_TRUE(says_what_to_do) << refused;
  }
  /// Loads what there is. What is not refused must be what was written.
  bool is_refused(const std::string& how) {
    const auto journal = open_sqlite_journal(file_);
    const auto contents = journal ? (*journal)->load() : Result<Contents>(journal.error());
    if (!contents) {
      expect_words(contents.error().message());
      return true;
    }
    EXPECT_TRUE(Ledger::state_of(*contents) == ledger_.state()) << how;
    EXPECT_EQ(contents->revision, ledger_.revision) << how;
    expect_good_or_refused_after_writing(**journal, how);
    return false;
  }
  /// What is damaged where nobody looked must not spoil what is written next.
  void expect_good_or_refused_after_writing(Journal& journal, const std::string& how) const {
    Ledger later = ledger_;
    if (!journal.commit({later.put("pod-1-0", "{}"), later.put("new", "{}")})) return;
    if (!journal.tidy(true)) return;
    const auto contents = journal.load();
    if (contents) EXPECT_TRUE(Ledger::state_of(*contents) == later.state()) << how;
  }

  std::string intact_;
  std::string mark_;
};

TEST_F(DamageTest, AFileOfSomethingElseIsRefused) {
  store(std::string(8192, 'x'));
  EXPECT_TRUE(is_refused("noise"));
}

TEST_F(DamageTest, ADatabaseOfAnotherProgramIsRefusedAndLeftAlone) {
  for (const char* made : {"CREATE TABLE birds (name TEXT)",
                           "CREATE TABLE birds (name TEXT); PRAGMA user_version = 7"}) {
    store("");
    ASSERT_TRUE(Sqlite::open(file_)->execute(made));
    const std::string before = *read_file(file_);
    const auto journal = open_sqlite_journal(file_);
    ASSERT_FALSE(journal) << made;
    expect_words(journal.error().message());
    EXPECT_NE(journal.error().message().find("another program"), std::string::npos);
    EXPECT_EQ(*read_file(file_), before) << made;
  }
}

TEST_F(DamageTest, AFlippedBitIsNoticedOrHarmless) {
  std::mt19937 random(11);
  int refused = 0;
  constexpr int kFlips = 400;
  for (int i = 0; i < kFlips; ++i) {
    // Half of them where it matters most: the headers of pages.
    std::size_t at = random() % intact_.size();
    if (i % 2 == 0) at = at / 4096 * 4096 + random() % 108;
    std::string content = intact_;
    content[at] = static_cast<char>(content[at] ^ (1 << random() % 8));
    store(content);
    if (is_refused(fmt::format("flip at {}", at))) ++refused;
  }
  EXPECT_GT(refused, kFlips / 4) << "most of the file is data";
}

TEST_F(DamageTest, APageThatIsLostOrOfAnotherPlaceIsNoticed) {
  const std::size_t pages = intact_.size() / 4096;
  for (std::size_t page = 0; page < pages; ++page) {
    for (const bool zeroed : {true, false}) {
      std::string content = intact_;
      const std::string other =
          zeroed ? std::string(4096, '\0') : intact_.substr((page + 1) % pages * 4096, 4096);
      if (content.compare(page * 4096, 4096, other) == 0) continue;
      content.replace(page * 4096, 4096, other);
      store(content);
      is_refused(fmt::format("page {} zeroed {}", page, zeroed));
    }
  }
}

TEST_F(DamageTest, ATruncatedFileIsRefused) {
  for (std::size_t size = 0; size < intact_.size(); size += 1 + intact_.size() / 37) {
    store(intact_.substr(0, size));
    EXPECT_TRUE(is_refused(fmt::format("cut to {}", size))) << size;
  }
}

TEST_F(DamageTest, TextThatWasEditedByHandIsRefusedAndNamed) {
  std::string content = intact_;
  const std::size_t at = content.find("bbbbbbbb");
  content[at] = 'c';
  store(content);
  EXPECT_NE(refusal().find("pods default/pod-"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("checksum"), std::string::npos) << refusal();
}

TEST_F(DamageTest, ABackupBesideANewerLogIsNoticed) {
  // A copy of an earlier file, then a crash: the log of the crashed server lies beside it.
  std::string log;
  {
    const auto journal = open();
    ASSERT_TRUE(journal->load());
    for (int i = 0; i < 30; ++i) {
      const std::string name = fmt::format("pod-{}-0", i);
      ASSERT_TRUE(journal->commit({ledger_.put(name, "{\"y\":1}")}));
    }
    ASSERT_TRUE(journal->tidy(true));  // these went into the file, which is then replaced
    ASSERT_TRUE(journal->commit({ledger_.put("pod-39-0", "{\"y\":2}")}));
    log = *read_file(file_.string() + "-wal");
  }
  store(intact_);
  ASSERT_TRUE(write_file(file_.string() + "-wal", log, 0600));
  EXPECT_NE(refusal().find("restore a backup"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace trainyard::store
