#include "store/store_copy.h"

#include "base/files/files.h"
#include "store/sqlite.h"
#include "store/test_journal.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace trainyard::store {
namespace {

class StoreCopy : public JournalTest {
 protected:
  std::filesystem::path copy_ = folder_.path() / "copy's" / "store.db";
  void SetUp() override { ASSERT_TRUE(make_folders(copy_.parent_path(), 0700)); }
};

TEST_F(StoreCopy, HoldsAllThatWasAcknowledgedWhileTheStoreIsInUse) {
  const auto journal = open();
  ASSERT_TRUE(journal->commit({ledger_.put("a", "{\"x\":1}"), ledger_.put("b", "{}")}));
  ASSERT_TRUE(journal->commit({ledger_.remove("b")}));
  const auto copied = copy_store(file_, copy_);
  ASSERT_TRUE(copied) << copied.error().message();
  ASSERT_TRUE(edit_store(copy_, [](const Json&) { return std::optional<Json>(); }));
  auto of_copy = open_sqlite_journal(copy_);
  const auto contents = (*of_copy)->load();
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_TRUE(Ledger::state_of(*contents) == ledger_.state());
  EXPECT_GE(contents->revision, 3) << "revisions go on from there";
  EXPECT_EQ(std::filesystem::status(copy_).permissions(), std::filesystem::perms(0600));
}

TEST_F(StoreCopy, IsOneStateWhateverIsWrittenMeanwhile) {
  const auto journal = open();
  std::atomic<bool> enough = false;
  std::thread writer([&] {
    // Two objects that are always alike.
    for (int i = 0; !enough; ++i) {
      const std::string body = fmt::format("{{\"x\":{}}}", i);
      ASSERT_TRUE(journal->commit({ledger_.put("one", body), ledger_.put("two", body)}));
      (void)journal->tidy(i % 10 == 0);
    }
  });
  for (int i = 0; i < 10; ++i) {
    const auto to = copy_.parent_path() / fmt::format("{}.db", i);
    const auto copied = copy_store(file_, to);
    EXPECT_TRUE(copied) << copied.error().message();
    const auto of_copy = open_sqlite_journal(to);
    ASSERT_TRUE(of_copy) << of_copy.error().message();
    const auto contents = (*of_copy)->load();
    EXPECT_TRUE(contents) << contents.error().message();
    if (contents && contents->rows.size() == 2) {
      EXPECT_EQ(*contents->rows[0].state.text, *contents->rows[1].state.text);
    }
  }
  enough = true;
  writer.join();
}

TEST_F(StoreCopy, SaysWhatIsNotThereAndWhatIsNoStore) {
  const auto none = copy_store(folder_.path() / "none.db", copy_);
  ASSERT_TRUE(none.failed_with(Code::kNotFound));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none.db"));
  ASSERT_TRUE(write_file(file_, std::string(5000, 'x'), 0600));
  EXPECT_FALSE(copy_store(file_, copy_));
  const auto leave = [](const Json&) { return std::optional<Json>(); };
  EXPECT_FALSE(edit_store(file_, leave));
  EXPECT_FALSE(edit_store(folder_.path() / "none.db", leave));
}

TEST_F(StoreCopy, CanBeEditedAsAWhole) {
  ASSERT_TRUE(open()->commit({ledger_.put("a", "{\"x\":1}"), ledger_.put("b", "{\"x\":2}")}));
  ASSERT_TRUE(edit_store(file_, [](const Json& object) -> std::optional<Json> {
    if (int_at(object, "x") != 1) return std::nullopt;
    return Json{{"x", 10}};
  }));
  const auto contents = open()->load();
  ASSERT_TRUE(contents) << contents.error().message();
  ASSERT_EQ(contents->rows.size(), 2U);
  for (const Row& row : contents->rows) {
    const bool edited = row.key.name == "a";
    EXPECT_EQ(int_at(*parse_json(*row.state.text), "x"), edited ? 10 : 2);
    EXPECT_EQ(row.state.revision, edited ? 3 : 2) << "what has changed has a new revision";
  }
}

}  // namespace
}  // namespace trainyard::store
