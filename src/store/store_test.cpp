#include "store/test_store.h"

#include <latch>

namespace trainyard::store {
namespace {

TEST_F(StoreTest, EveryChangeRaisesTheOneRevisionByOne) {
  EXPECT_EQ((*run(store_->write(put("a", 1))))->revision(), 1);
  EXPECT_EQ((*run(store_->write(put("b", 1))))->revision(), 2);
  EXPECT_EQ((*run(store_->write(removal("a"))))->revision(), 3);
  EXPECT_EQ(store_->revision(), 3);
  EXPECT_EQ(store_->get("pods", {"default", "a"}), nullptr);
  EXPECT_EQ(string_at(store_->get("pods", {"default", "b"})->body(), "metadata.resourceVersion"),
            "2");
}

TEST_F(StoreTest, SaysWhenACollectionLastChanged) {
  EXPECT_EQ(store_->changed_at("pods"), 0);
  ASSERT_TRUE(run(store_->write(put("a", 1))));
  EXPECT_EQ(store_->changed_at("pods"), 1);
  Store::Write other = put("a", 1);
  other.collection = "nodes";
  ASSERT_TRUE(run(store_->write(std::move(other))));
  EXPECT_EQ(store_->changed_at("pods"), 1);
  EXPECT_EQ(store_->changed_at("nodes"), 2);
  ASSERT_TRUE(run(store_->write(removal("a"))));
  EXPECT_EQ(store_->changed_at("pods"), 3);
}

TEST_F(StoreTest, AnEqualBodyIsNotWritten) {
  ASSERT_TRUE(run(store_->write(put("a", 1))));
  EXPECT_EQ((*run(store_->write(put("a", 1))))->revision(), 1);
  EXPECT_EQ(journal_.committed.size(), 1U);
}

TEST_F(StoreTest, NothingIsVisibleWhenTheDiskRefuses) {
  journal_.failure = Error(Code::kUnavailable, "full");
  EXPECT_TRUE(run(store_->write(put("a", 1))).failed_with(Code::kUnavailable));
  EXPECT_EQ(store_->get("pods", {"default", "a"}), nullptr);
  EXPECT_EQ(store_->revision(), 0);
  journal_.failure.reset();
  EXPECT_TRUE(run(store_->write(put("a", 1)))) << "a full disk may be mended without a restart";
}

TEST_F(StoreTest, AfterABrokenDiskNothingIsAcknowledgedAgain) {
  journal_.failure = Error(Code::kInternal, "I/O error");
  EXPECT_FALSE(run(store_->write(put("a", 1))));
  journal_.failure.reset();
  EXPECT_TRUE(run(store_->write(put("a", 1))).failed_with(Code::kUnavailable));
  EXPECT_TRUE(journal_.committed.empty());
}

TEST_F(StoreTest, TheJournalAndEveryReaderShareOneText) {
  const ObjectPtr written = *run(store_->write(put("a", 1)));
  EXPECT_EQ(store_->get("pods", {"default", "a"}), written);
  EXPECT_EQ(journal_.committed.at(0).object, written);
  EXPECT_EQ(written->text(),
            R"({"metadata":{"name":"a","namespace":"default","resourceVersion":"1"},"value":1})");
}

TEST_F(StoreTest, WhatCouldNotBeReadAgainIsRefused) {
  Json deep = 1;
  for (std::size_t i = 0; i < kMaxDepth; ++i) deep = JsonArray{std::move(deep)};
  Store::Write write{"pods", Key{"default", "a"}, [&](const ObjectPtr&) -> Result<Store::Decision> {
                       return Store::Decision(Json{{"spec", deep}});
                     }};
  EXPECT_TRUE(run(store_->write(std::move(write))).failed_with(Code::kInvalid));
  EXPECT_TRUE(journal_.committed.empty());
  EXPECT_EQ((*run(store_->write(put("a", 1))))->revision(), 1) << "no revision was lost";
}

TEST_F(StoreTest, WriteAllIsAllOrNothing) {
  std::vector<Store::Write> writes;
  writes.push_back(put("a", 1));
  writes.push_back(removal("missing"));
  EXPECT_TRUE(run(store_->write_all(std::move(writes))).failed_with(Code::kNotFound));
  EXPECT_TRUE(journal_.committed.empty());
  EXPECT_EQ((*run(store_->write(put("a", 1))))->revision(), 1) << "no revision was lost";
}

TEST_F(StoreTest, ConcurrentWritersOfOneObjectSeeEachOther) {
  // Each edit counts up from what it sees: a lost update would end below 50.
  int ended = 0;
  for (int i = 0; i < 50; ++i) {
    Store::Write increment{"pods", Key{"default", "n"},
                           [](const ObjectPtr& current) -> Result<Store::Decision> {
                             const auto value = current ? int_at(current->body(), "value") : 0;
                             return Store::Decision(object("n", static_cast<int>(value) + 1));
                           }};
    start(std::move(increment), [&](const Result<ObjectPtr>& result) {
      EXPECT_TRUE(result);
      ++ended;
    });
  }
  loop_.run_until([&] { return ended == 50; });
  EXPECT_EQ(int_at(store_->get("pods", {"default", "n"})->body(), "value"), 50);
}

TEST_F(StoreTest, WritesSubmittedWhileTheDiskWorksShareTheNextCommit) {
  std::latch all_submitted(1);
  journal_.during_commit = [&] { all_submitted.wait(); };
  int ended = 0;
  for (int i = 0; i < 100; ++i) {
    start(put("p" + std::to_string(i), i), [&](const Result<ObjectPtr>&) { ++ended; });
  }
  loop_.run_ready();
  all_submitted.count_down();
  loop_.run_until([&] { return ended == 100; });
  EXPECT_LE(journal_.commits, 2);
  EXPECT_EQ(store_->list("pods", "default").objects.size(), 100U);
}

TEST_F(StoreTest, AWatchFromAListSeesEachLaterChangeOnceAndInOrder) {
  ASSERT_TRUE(run(store_->write(put("a", 1))));
  auto cursor = store_->watch("pods", store_->list("pods", "").revision);
  ASSERT_TRUE(cursor);
  ASSERT_TRUE(run(store_->write(put("a", 2))));
  ASSERT_TRUE(run(store_->write(put("b", 1))));
  ASSERT_TRUE(run(store_->write(removal("a"))));
  std::vector<std::pair<Change::Type, std::int64_t>> seen;
  while (auto change = *(*cursor)->try_next()) {
    seen.emplace_back(change->type, change->object->revision());
  }
  const std::vector<std::pair<Change::Type, std::int64_t>> expected{
      {Change::Type::kModified, 2}, {Change::Type::kAdded, 3}, {Change::Type::kDeleted, 4}};
  EXPECT_EQ(seen, expected);
}

TEST_F(StoreTest, ASlowWatcherIsCutOffInsteadOfFedWithoutBound) {
  auto slow = store_->watch("pods", 0);
  ASSERT_TRUE(slow);
  for (std::size_t i = 0; i <= Store::kHistory; ++i) {
    ASSERT_TRUE(run(store_->write(put("a", static_cast<int>(i)))));
  }
  EXPECT_TRUE((*slow)->try_next().failed_with(Code::kExpired));
  EXPECT_TRUE(store_->watch("pods", 0).failed_with(Code::kExpired));
  EXPECT_TRUE(store_->watch("pods", 1));
}

TEST_F(StoreTest, RevisionsGoOnAfterARestart) {
  journal_.contents.revision = 41;
  journal_.contents.rows.push_back(stored("a", 7, to_text(object("a", 1))));
  auto reopened = Store::open(loop_.executor(), journal_);
  ASSERT_TRUE(reopened);
  EXPECT_EQ((*reopened)->revision(), 41);
  EXPECT_EQ((*reopened)->list("pods", "default").objects.size(), 1U);
  EXPECT_TRUE((*reopened)->watch("pods", 7).failed_with(Code::kExpired))
      << "changes before the restart are not kept, so a watch from there must list again";
  store_ = *std::move(reopened);
  EXPECT_EQ((*run(store_->write(put("b", 1))))->revision(), 42);
}

TEST_F(StoreTest, ADamagedRowIsNamed) {
  journal_.contents.rows.push_back(stored("a", 7, "{\"half\":"));
  const auto reopened = Store::open(loop_.executor(), journal_);
  ASSERT_FALSE(reopened);
  EXPECT_NE(reopened.error().message().find("pods default/a"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::store
