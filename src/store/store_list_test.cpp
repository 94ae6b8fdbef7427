#include "store/test_store.h"

#include <algorithm>
#include <map>
#include <random>

namespace trainyard::store {
namespace {

using State = std::map<Key, std::int64_t>;  // which object was there, at which revision

State state_of(const Listing& listing) {
  State state;
  for (const ObjectPtr& object : listing.objects) {
    state[key_of(object->body())] = object->revision();
  }
  EXPECT_EQ(state.size(), listing.objects.size()) << "an object was listed twice";
  return state;
}

State part_of(const State& state, const std::string& ns) {
  State part;
  for (const auto& [key, revision] : state) {
    if (ns.empty() || key.ns == ns) part[key] = revision;
  }
  return part;
}

class StoreListTest : public StoreTest {
 protected:
  Store::Write put_in(const std::string& ns, const std::string& name, int value) {
    return {"pods", Key{ns, name}, [=](const ObjectPtr&) -> Result<Store::Decision> {
              return Store::Decision(
                  Json{{"metadata", {{"name", name}, {"namespace", ns}}}, {"value", value}});
            }};
  }
  /// All pages of a scope put together; each as long as it should be.
  Result<Listing> pages(const std::string& ns, std::size_t limit, std::int64_t revision) {
    Listing all;
    Page page;
    page.ns = ns;
    page.limit = limit;
    page.revision = revision;
    while (true) {
      TRY(const Listing part, store_->page("pods", page));
      EXPECT_LE(part.objects.size(), limit);
      EXPECT_EQ(part.revision, revision);
      all.objects.insert(all.objects.end(), part.objects.begin(), part.objects.end());
      EXPECT_EQ(part.more, all.objects.size() < part.total);
      if (!part.more) return all;
      page.after = key_of(part.objects.back()->body());
      maybe_write();
    }
  }
  /// What others do between two pages.
  void maybe_write() {
    if (random_() % 2 == 0) write_something();
  }
  void write_something() {
    const Key key{std::string(1, static_cast<char>('a' + random_() % 3)),
                  "p" + std::to_string(random_() % 12)};
    State next = states_.empty() ? State() : states_.rbegin()->second;
    if (next.contains(key) && random_() % 3 == 0) {
      Store::Write write{"pods", key, [](const ObjectPtr&) -> Result<Store::Decision> {
                           return Store::Decision();
                         }};
      EXPECT_TRUE(run(store_->write(std::move(write))));
      next.erase(key);
    } else {
      const auto written = run(store_->write(put_in(key.ns, key.name, ++value_)));
      next[key] = (*written)->revision();
    }
    states_[store_->revision()] = std::move(next);
  }

  std::mt19937 random_{1};
  int value_ = 0;
  std::map<std::int64_t, State> states_;  // at each revision
};

TEST_F(StoreListTest, ListsInTheOrderOfNamespaceAndName) {
  for (const auto& [ns, name] : {std::pair{"b", "y"}, {"a", "z"}, {"b", "x"}, {"ab", "q"}}) {
    ASSERT_TRUE(run(store_->write(put_in(ns, name, 1))));
  }
  std::vector<Key> keys;
  for (const ObjectPtr& object : store_->list("pods", "").objects) {
    keys.push_back(key_of(object->body()));
  }
  const std::vector<Key> expected{{"a", "z"}, {"ab", "q"}, {"b", "x"}, {"b", "y"}};
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(store_->list("pods", "b").objects.size(), 2U);
  EXPECT_EQ(store_->list("pods", "aa").objects.size(), 0U);
  EXPECT_EQ(store_->list("nothing", "").objects.size(), 0U);
}

TEST_F(StoreListTest, ListAtGivesTheStateOfEachEarlierRevision) {
  states_[0] = State();
  for (int i = 0; i < 300; ++i) write_something();
  for (const auto& [revision, state] : states_) {
    for (const std::string ns : {"", "a", "b", "c", "d"}) {
      const auto listing = store_->list_at("pods", ns, revision);
      if (revision == 0) continue;  // 0 stands for now
      ASSERT_TRUE(listing) << listing.error().message();
      EXPECT_EQ(listing->revision, revision);
      EXPECT_EQ(state_of(*listing), part_of(state, ns)) << revision;
      EXPECT_EQ(listing->total, listing->objects.size());
    }
  }
}

TEST_F(StoreListTest, PagesOfOneRevisionAreItsStateWhateverIsWrittenInBetween) {
  for (int i = 0; i < 60; ++i) write_something();
  for (int round = 0; round < 100; ++round) {
    const std::int64_t revision = store_->revision();
    const State state = states_.rbegin()->second;
    for (const std::string ns : {"", "a", "b", "c"}) {
      const auto listing = pages(ns, 1 + random_() % 7, revision);
      ASSERT_TRUE(listing);
      ASSERT_EQ(state_of(*listing), part_of(state, ns)) << "round " << round;
      EXPECT_TRUE(std::is_sorted(listing->objects.begin(), listing->objects.end(),
                                 [](const ObjectPtr& left, const ObjectPtr& right) {
                                   return key_of(left->body()) < key_of(right->body());
                                 }));
    }
  }
}

TEST_F(StoreListTest, ALastPageThatIsFullSaysThatNothingFollows) {
  for (const char* name : {"a", "b"}) ASSERT_TRUE(run(store_->write(put(name, 1))));
  Page page;
  page.limit = 2;
  const auto listing = store_->page("pods", page);
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->objects.size(), 2U);
  EXPECT_FALSE(listing->more);
  page.after = Key{"default", "b"};
  EXPECT_TRUE(store_->page("pods", page)->objects.empty());
}

TEST_F(StoreListTest, ARevisionThatIsTooOldOrYetToComeIsRefused) {
  for (std::size_t i = 0; i < Store::kHistory + 10; ++i) {
    ASSERT_TRUE(run(store_->write(put("a", static_cast<int>(i)))));
  }
  EXPECT_TRUE(store_->list_at("pods", "", 9).failed_with(Code::kExpired));
  EXPECT_TRUE(store_->list_at("pods", "", 10));
  EXPECT_TRUE(store_->list_at("pods", "", store_->revision()));
  EXPECT_TRUE(store_->list_at("pods", "", store_->revision() + 1).failed_with(Code::kTimeout));
}

TEST_F(StoreListTest, ACollectionThatWasEmptyWhenListedCanBeWatchedFromThere) {
  ASSERT_TRUE(run(store_->write(put("a", 1))));
  const std::int64_t revision = store_->list("services", "").revision;
  ASSERT_TRUE(run(store_->write(put("a", 2))));
  Store::Write service = put("s", 1);
  service.collection = "services";
  ASSERT_TRUE(run(store_->write(std::move(service))));
  auto cursor = store_->watch("services", revision);
  ASSERT_TRUE(cursor) << cursor.error().message();
  EXPECT_EQ((*(*cursor)->try_next())->object->revision(), 3);
}

TEST_F(StoreListTest, TheHistoryIsBoundedInBytesAndTheLargestPaysForIt) {
  Store::Write small = put("s", 1);
  small.collection = "services";
  ASSERT_TRUE(run(store_->write(std::move(small))));
  auto quiet = store_->watch("services", 0);
  auto slow = store_->watch("pods", 0);
  const std::string large(Store::kHistoryBytes / 32, 'x');
  for (int i = 0; i < 100; ++i) {
    Store::Write write{"pods", Key{"default", "a"},
                       [&](const ObjectPtr&) -> Result<Store::Decision> {
                         return Store::Decision(Json{{"text", large}, {"value", i}});
                       }};
    ASSERT_TRUE(run(store_->write(std::move(write))));
  }
  EXPECT_TRUE((*slow)->try_next().failed_with(Code::kExpired));
  EXPECT_TRUE((*quiet)->try_next()) << "the history of others is kept";
  const std::int64_t now = store_->revision();
  EXPECT_TRUE(store_->watch("pods", now - 25));
  EXPECT_TRUE(store_->watch("pods", now - 40).failed_with(Code::kExpired));
}

TEST_F(StoreTest, OldStatesAreTheSameForWhoeverStillLooksAtThem) {
  constexpr int kChanges = 1401;  // more than are kept as they were
  for (int i = 1; i <= kChanges; ++i) {
    ASSERT_TRUE(run(store_->write(put("a" + std::to_string(i % 3), i))));
    // Somebody looks into it, as watchers do, and one keeps what it saw.
    (void)store_->list("pods", "").objects.front()->body();
  }
  const ObjectPtr held = store_->get("pods", {"default", "a0"});
  const Json& body = held->body();
  ASSERT_TRUE(run(store_->write(removal("a0"))));
  for (int i = 1; i <= 600; ++i) ASSERT_TRUE(run(store_->write(put("b", i))));
  EXPECT_EQ(int_at(body, "value"), kChanges);

  auto cursor = *store_->watch("pods", 0);
  for (int i = 1; i <= kChanges; ++i) {
    const auto change = cursor->try_next();
    ASSERT_TRUE(change && *change);
    EXPECT_EQ(int_at((*change)->object->body(), "value"), i);
    if (i > 3) EXPECT_EQ(int_at((*change)->before->body(), "value"), i - 3);
  }
  EXPECT_EQ((*cursor->try_next())->type, Change::Type::kDeleted);
  const auto then = store_->list_at("pods", "", 100);
  ASSERT_TRUE(then);
  ASSERT_EQ(then->objects.size(), 3U);
  EXPECT_EQ(int_at(then->objects[1]->body(), "value"), 100);
}

}  // namespace
}  // namespace trainyard::store
