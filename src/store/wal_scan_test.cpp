#include "store/wal_scan.h"

#include "base/files/files.h"
#include "store/test_journal.h"

#include <fmt/format.h>

#include <random>

namespace trainyard::store {
namespace {

class WalTest : public JournalTest {
 protected:
  std::filesystem::path log_ = file_.string() + "-wal";

  /// What a server leaves that was killed: the files as they are while it runs.
  void live(int commits) {
    const auto journal = open();
    ASSERT_TRUE(journal->load());
    for (int i = 0; i < commits; ++i) {
      const std::string body(3000, 'x');
      ASSERT_TRUE(
          journal->commit({ledger_.put(fmt::format("p{}", i), "{\"x\":\"" + body + "\"}")}));
    }
    for (const char* file : {"store.db", "store.db-wal", "store.revision"}) {
      kept_[file] = *read_file(folder_.path() / file);
    }
  }
  /// Puts these files back, with another log.
  void put_back(const std::string& log) {
    for (const auto& [file, content] : kept_) {
      ASSERT_TRUE(write_file(folder_.path() / file, content, 0600));
    }
    std::filesystem::remove(file_.string() + "-shm");
    ASSERT_TRUE(write_file(log_, log, 0600));
  }
  std::string log() const { return kept_.at("store.db-wal"); }
  void expect_told() const {
    const std::string words = refusal();
    for (const char* part : {"acknowledged", "trainyard restore", "--accept-loss"}) {
      EXPECT_NE(words.find(part), std::string::npos) << words;
    }
    EXPECT_EQ(words.find("damaged: "), std::string::npos) << words;
  }

  std::map<std::string, std::string> kept_;
};

TEST_F(WalTest, AKilledServerLosesNothingAndIsToldNothing) {
  live(20);
  EXPECT_FALSE(scan_wal(log()).leftover);
  put_back(log());
  EXPECT_EQ(refusal(), "");
  EXPECT_TRUE(Ledger::state_of(*open()->load()) == ledger_.state());
}

TEST_F(WalTest, ALogThatIsGoneOrCutIsTold) {
  live(20);
  for (const std::size_t size :
       {log().size() - 1, log().size() / 2, std::size_t{32}, std::size_t{0}}) {
    put_back(log().substr(0, size));
    expect_told();
    EXPECT_EQ(*read_file(log_), log().substr(0, size)) << "it stays for who wants to look";
  }
  put_back("");
  std::filesystem::remove(log_);
  expect_told();
}

TEST_F(WalTest, ALogThatIsDamagedAnywhereIsTold) {
  live(20);
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    std::string damaged = log();
    damaged[random() % damaged.size()] ^= 0x20;
    put_back(damaged);
    if (refusal().empty()) {
      EXPECT_TRUE(Ledger::state_of(*open()->load()) == ledger_.state()) << "harmless";
    } else {
      expect_told();
    }
  }
}

TEST_F(WalTest, WithoutAMarkLaterCommitsTellOfIt) {
  live(20);
  std::string damaged = log();
  damaged[damaged.size() / 2] ^= 0x20;
  EXPECT_TRUE(scan_wal(damaged).lost_commits);
  std::string headless = log();
  headless[3] ^= 0x20;
  EXPECT_TRUE(scan_wal(headless).lost_commits);
  put_back(damaged);
  std::filesystem::remove(folder_.path() / "store.revision");
  expect_told();
}

TEST_F(WalTest, ACommitThatACrashHasCutOffIsNotTakenForLost) {
  live(20);
  std::string torn = log();
  torn[torn.size() - 100] ^= 0x20;  // in the last frame, which commits
  const WalTail tail = scan_wal(torn);
  EXPECT_TRUE(tail.leftover);
  EXPECT_FALSE(tail.lost_commits);
}

TEST_F(WalTest, WhoAcceptsTheLossGoesOnWithoutAndIsAskedOnce) {
  live(20);
  std::string damaged = log();
  damaged[damaged.size() / 2] ^= 0x20;
  put_back(damaged);
  {
    auto journal = open_sqlite_journal(file_, {true});
    ASSERT_TRUE(journal) << journal.error().message();
    const auto contents = (*journal)->load();
    ASSERT_TRUE(contents);
    EXPECT_GT(contents->rows.size(), 2U);
    EXPECT_LT(contents->rows.size(), 20U);
    EXPECT_GE(contents->revision, ledger_.revision) << "revisions do not go back";
    Ledger later;
    later.revision = contents->revision;
    ASSERT_TRUE((*journal)->commit({later.put("later", "{}")}));
    EXPECT_FALSE(scan_wal_file(log_)->leftover);
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(WalTest, AStoreWithoutMarksOpens) {
  live(20);
  for (const std::string& mark : {std::string(), std::string("10020\n")}) {
    put_back(log());
    if (mark.empty()) {
      std::filesystem::remove(folder_.path() / "store.revision");
    } else {
      ASSERT_TRUE(write_file(folder_.path() / "store.revision", mark, 0600));
    }
    EXPECT_EQ(refusal(), "");
    EXPECT_EQ(*read_file(folder_.path() / "store.revision"),
              mark.empty() ? "20\n00000000000000000020\n" : "10020\n00000000000000000020\n")
        << "from now on it is noticed";
  }
}

TEST_F(WalTest, AFileThatIsGoneIsTold) {
  live(3);
  put_back(log());
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file_.string() + suffix);
  expect_told();
  EXPECT_FALSE(std::filesystem::exists(file_)) << "nothing was made in its place";
  EXPECT_TRUE(open_sqlite_journal(file_, {true}));
}

TEST_F(WalTest, NoMarkIsBeyondWhatCanBeCounted) {
  for (const char* wrong : {"9223372036854775807\n", "9007199254740993\n", "-1\n", "\n", "",
                            "12\n00000000000000000013\n", "12\nx\n", "12\n12\n12\n"}) {
    ASSERT_TRUE(write_file(folder_.path() / "store.revision", wrong, 0600));
    EXPECT_NE(refusal().find("store.revision is damaged"), std::string::npos)
        << wrong << ": " << refusal();
  }
}

}  // namespace
}  // namespace trainyard::store
