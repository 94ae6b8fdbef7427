#include "base/clock.h"
#include "store/test_store.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

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

TEST_F(StoreTest, WhatNobodyLooksAtIsKeptAsText) {
  ASSERT_TRUE(run(store_->write(put("a", 1))));
  ASSERT_TRUE(run(store_->write(put("b", 1))));
  (void)store_->get("pods", {"default", "a"})->body();
  const ObjectPtr used = store_->get("pods", {"default", "b"});
  const Json& body = used->body();
  SystemClock clock;
  const auto has_tree = [&] { return store_->get("pods", {"default", "a"})->has_tree(); };
  for (int i = 0; i < 100 && has_tree(); ++i) {
    loop_.run(clock.sleep_for(std::chrono::milliseconds(50)));
  }
  EXPECT_FALSE(has_tree()) << "the journal still has its text, which is nobody's object";
  EXPECT_EQ(*journal_.committed.at(0).state.text, store_->get("pods", {"default", "a"})->text());
  EXPECT_EQ(int_at(body, "value"), 1) << "who holds an object can go on looking at it";
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
  EXPECT_EQ(journal_.committed.at(0).state.text, written->shared_text());
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

TEST_F(StoreTest, WhatAWriteKeepsIsLetGoWhenItBecomesVisible) {
  std::latch disk(1);
  journal_.during_commit = [&] { disk.wait(); };
  bool visible_at_its_end = false;
  std::shared_ptr<void> kept(&visible_at_its_end, [&](void*) {
    visible_at_its_end = store_->get("pods", {"default", "a"}) != nullptr;
  });
  const std::weak_ptr<void> watched = kept;
  Store::Write write = put("a", 1);
  write.keep = std::move(kept);
  boost::asio::cancellation_signal stop;
  boost::asio::co_spawn(
      loop_.executor(), store_->write(std::move(write)),
      boost::asio::bind_cancellation_slot(
          stop.slot(), [](const std::exception_ptr&, const Result<ObjectPtr>&) {}));
  loop_.run_ready();
  stop.emit(boost::asio::cancellation_type::terminal);  // nobody waits for it any more
  loop_.run_ready();
  EXPECT_FALSE(watched.expired());
  disk.count_down();
  loop_.run_until([&] { return watched.expired(); });
  EXPECT_TRUE(visible_at_its_end);
}

TEST_F(StoreTest, WhatARefusedWriteKeepsIsLetGo) {
  Store::Write write = removal("missing");
  auto kept = std::make_shared<int>();
  write.keep = kept;
  EXPECT_FALSE(run(store_->write(std::move(write))));
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(StoreTest, AWatchOfOneNamespaceSeesNoOther) {
  auto cursor = store_->watch("pods", 0, "default");
  ASSERT_TRUE(cursor);
  Store::Write other = put("x", 1);
  other.key.ns = "elsewhere";
  ASSERT_TRUE(run(store_->write(std::move(other))));
  ASSERT_TRUE(run(store_->write(put("a", 1))));
  const auto change = *(*cursor)->try_next();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->object->revision(), 2);
  EXPECT_FALSE(*(*cursor)->try_next());
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

TEST_F(StoreTest, TheTimeOfTheDiskIsTheClocks) {
  journal_.during_commit = [this] { clock_.advance(std::chrono::seconds(2)); };
  ASSERT_TRUE(run(store_->write(put("a", 1))));
  EXPECT_EQ(store_->figures().commit_seconds, 2);
}

TEST_F(StoreTest, RevisionsGoOnAfterARestart) {
  journal_.contents.revision = 41;
  journal_.contents.rows.push_back(stored("a", 7, to_text(object("a", 1))));
  auto reopened = Store::open(loop_.executor(), clock_, journal_);
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
  const auto reopened = Store::open(loop_.executor(), clock_, journal_);
  ASSERT_FALSE(reopened);
  EXPECT_NE(reopened.error().message().find("pods default/a"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::store
