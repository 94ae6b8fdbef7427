#include "store/store.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trainyard::store {
namespace {

namespace asio = boost::asio;

/// Records commits, and fails them when told to.
class ScriptedJournal final : public Journal {
 public:
  Result<Contents> load() override { return contents; }
  Result<> commit(const std::vector<Row>& rows) override {
    ++commits;
    if (failure) return *failure;
    committed.insert(committed.end(), rows.begin(), rows.end());
    return Ok();
  }
  Contents contents;
  std::optional<Error> failure;
  std::vector<Row> committed;
  int commits = 0;
};

Json object(const std::string& name, int value) {
  return {{"metadata", {{"name", name}, {"namespace", "default"}}}, {"value", value}};
}

Store::Write put(const std::string& name, int value) {
  return {"pods", Key{"default", name}, [=](const ObjectPtr& current) -> Result<Store::Decision> {
            Json body = object(name, value);
            if (current) {
              body.as_object()["metadata"].as_object()["resourceVersion"] =
                  string_at(current->body(), "metadata.resourceVersion");
            }
            return Store::Decision(body);
          }};
}

Store::Write removal(const std::string& name) {
  return {"pods", Key{"default", name}, [](const ObjectPtr& current) -> Result<Store::Decision> {
            if (!current) return Error(Code::kNotFound, "gone");
            return Store::Decision();
          }};
}

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Store::open(loop_.get_executor(), journal_);
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = *std::move(opened);
  }

  /// Runs a coroutine to its end on the loop and returns its value.
  template <class T>
  T run(awaitable<T> task) {
    std::optional<T> result;
    asio::co_spawn(loop_, std::move(task), [&](const std::exception_ptr& failure, T value) {
      if (failure) std::rethrow_exception(failure);
      result = std::move(value);
    });
    loop_.restart();
    const auto work = asio::make_work_guard(loop_);
    while (!result) loop_.run_one();
    return *std::move(result);
  }

  asio::io_context loop_;
  ScriptedJournal journal_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, EveryChangeRaisesTheOneRevisionByOne) {
  EXPECT_EQ((*run(store_->write(put("a", 1))))->revision(), 1);
  EXPECT_EQ((*run(store_->write(put("b", 1))))->revision(), 2);
  EXPECT_EQ((*run(store_->write(removal("a"))))->revision(), 3);
  EXPECT_EQ(store_->revision(), 3);
  EXPECT_EQ(store_->get("pods", {"default", "a"}), nullptr);
  EXPECT_EQ(string_at(store_->get("pods", {"default", "b"})->body(), "metadata.resourceVersion"),
            "2");
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
    asio::co_spawn(loop_, store_->write(std::move(increment)),
                   [&](const std::exception_ptr&, const Result<ObjectPtr>& result) {
                     EXPECT_TRUE(result);
                     ++ended;
                   });
  }
  const auto work = asio::make_work_guard(loop_);
  while (ended < 50) loop_.run_one();
  EXPECT_EQ(int_at(store_->get("pods", {"default", "n"})->body(), "value"), 50);
}

TEST_F(StoreTest, ConcurrentWritersOfDifferentObjectsShareCommits) {
  int ended = 0;
  for (int i = 0; i < 100; ++i) {
    asio::co_spawn(loop_, store_->write(put("p" + std::to_string(i), i)),
                   [&](const std::exception_ptr&, const Result<ObjectPtr>&) { ++ended; });
  }
  const auto work = asio::make_work_guard(loop_);
  while (ended < 100) loop_.run_one();
  EXPECT_LT(journal_.commits, 100);
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
  journal_.contents.rows.push_back(Row{"pods", "default", "a", 7, false, to_text(object("a", 1))});
  auto reopened = Store::open(loop_.get_executor(), journal_);
  ASSERT_TRUE(reopened);
  EXPECT_EQ((*reopened)->revision(), 41);
  EXPECT_EQ((*reopened)->list("pods", "default").objects.size(), 1U);
  EXPECT_TRUE((*reopened)->watch("pods", 7).failed_with(Code::kExpired))
      << "changes before the restart are not kept, so a watch from there must list again";
  store_ = *std::move(reopened);
  EXPECT_EQ((*run(store_->write(put("b", 1))))->revision(), 42);
}

TEST_F(StoreTest, ADamagedRowIsNamed) {
  journal_.contents.rows.push_back(Row{"pods", "default", "a", 7, false, "{\"half\":"});
  const auto reopened = Store::open(loop_.get_executor(), journal_);
  ASSERT_FALSE(reopened);
  EXPECT_NE(reopened.error().message().find("pods default/a"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::store
