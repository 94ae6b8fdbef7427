#include "base/task_group.h"
#include "store/test_store.h"

#include <random>

namespace trainyard::store {
namespace {

/// Adds its number to the object's list of who wrote.
Store::Write sign(const std::string& name, int number, std::vector<int>& order) {
  return {"pods", Key{"default", name},
          [name, number, &order](const ObjectPtr& current) -> Result<Store::Decision> {
            order.push_back(number);
            Json body = current ? current->body() : object(name, 0);
            make_path(body, "value") = number;
            return Store::Decision(std::move(body));
          }};
}

TEST_F(StoreTest, WritersOfOneObjectGetTheirTurnInTheOrderOfTheirComing) {
  std::vector<int> order;
  std::vector<int> expected;
  int ended = 0;
  for (int i = 0; i < 200; ++i) {
    start(sign("hot", i, order), [&](const Result<ObjectPtr>& result) {
      EXPECT_TRUE(result);
      ++ended;
    });
    expected.push_back(i);
  }
  loop_.run_until([&] { return ended == 200; });
  EXPECT_EQ(order, expected);
}

awaitable<void> write_group(Store& store, std::vector<Store::Write> writes, int& ended) {
  const auto written = co_await store.write_all(std::move(writes));
  EXPECT_TRUE(written);
  ++ended;
}

TEST_F(StoreTest, GroupsThatShareObjectsInAnyOrderAllComeThrough) {
  std::mt19937 random(3);
  TaskGroup tasks(loop_.executor());
  std::vector<int> order;
  int ended = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<Store::Write> writes;
    for (std::size_t n = 1 + random() % 5; n > 0; --n) {
      writes.push_back(sign("p" + std::to_string(random() % 6), i, order));
    }
    tasks.spawn("group", write_group(*store_, std::move(writes), ended));
  }
  loop_.run_until([&] { return ended == 300; });
  loop_.run(tasks.stop());
}

TEST_F(StoreTest, TwoWritesToOneObjectInOneTransactionSeeEachOther) {
  const auto add = [] {
    return Store::Write{"pods", Key{"default", "n"},
                        [](const ObjectPtr& current) -> Result<Store::Decision> {
                          const auto value = current ? int_at(current->body(), "value") : 0;
                          return Store::Decision(object("n", static_cast<int>(value) + 1));
                        }};
  };
  std::vector<Store::Write> writes;
  for (int i = 0; i < 3; ++i) writes.push_back(add());
  writes.push_back(removal("n"));
  writes.push_back(add());
  auto cursor = store_->watch("pods", 0);
  const auto written = run(store_->write_all(std::move(writes)));
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(int_at((*written)[2]->body(), "value"), 3);
  EXPECT_EQ(int_at(store_->get("pods", {"default", "n"})->body(), "value"), 1);
  EXPECT_EQ(store_->revision(), 5);
  using Type = Change::Type;
  for (const Type type :
       {Type::kAdded, Type::kModified, Type::kModified, Type::kDeleted, Type::kAdded}) {
    EXPECT_EQ((*(*cursor)->try_next())->type, type);
  }
}

awaitable<void> write_alone(Store& store, Store::Write write, int& ended) {
  [[maybe_unused]] const auto written = co_await store.write(std::move(write));
  ++ended;
}

TEST_F(StoreTest, WhoGivesUpWaitingHoldsNobodyUp) {
  std::vector<int> order;
  int ended = 0;
  int gave_up = 0;
  start(sign("hot", 0, order), [&](const Result<ObjectPtr>&) { ++ended; });
  {
    TaskGroup impatient(loop_.executor());
    for (int i = 1; i < 4; ++i) {
      impatient.spawn("impatient", write_alone(*store_, sign("hot", i, order), gave_up));
    }
    loop_.run_ready();
    start(sign("hot", 4, order), [&](const Result<ObjectPtr>&) { ++ended; });
    loop_.run(impatient.stop());
  }
  loop_.run_until([&] { return ended == 2; });
  EXPECT_EQ(order.front(), 0);
  EXPECT_EQ(order.back(), 4);
  EXPECT_EQ(int_at(store_->get("pods", {"default", "hot"})->body(), "value"), 4);
}

TEST_F(StoreTest, AWriteThatNobodyAwaitsAnyMoreStillBecomesVisible) {
  int ended = 0;
  TaskGroup tasks(loop_.executor());
  tasks.spawn("writer", write_alone(*store_, put("a", 1), ended));
  loop_.run_ready();  // the disk has it now
  loop_.run(tasks.stop());
  loop_.run_until([&] { return store_->revision() == 1; });
  EXPECT_TRUE(run(store_->write(put("a", 2)))) << "its turn has ended";
}

TEST_F(StoreTest, GoesDownWithWritersThatStillWait) {
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) start(sign("hot", i, order), [](const Result<ObjectPtr>&) {});
  loop_.run_ready();
  store_.reset();  // and then the loop, with coroutines that never ended
}

}  // namespace
}  // namespace trainyard::store
