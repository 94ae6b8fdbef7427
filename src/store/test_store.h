#pragma once

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "store/store.h"

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include <exception>

namespace trainyard::store {

/// Records commits, and fails them when told to.
class ScriptedJournal final : public Journal {
 public:
  Result<Contents> load() override { return contents; }
  Result<> commit(const std::vector<Row>& rows) override {
    ++commits;
    if (during_commit) during_commit();
    if (failure) return *failure;
    committed.insert(committed.end(), rows.begin(), rows.end());
    return Ok();
  }
  Contents contents;
  std::optional<Error> failure;
  std::function<void()> during_commit;  // on the writer's thread
  std::vector<Row> committed;
  int commits = 0;
};

inline Json object(const std::string& name, int value) {
  return {{"metadata", {{"name", name}, {"namespace", "default"}}}, {"value", value}};
}

inline Store::Write put(const std::string& name, int value) {
  return {"pods", Key{"default", name}, [=](const ObjectPtr& current) -> Result<Store::Decision> {
            Json body = object(name, value);
            if (current) {
              body.as_object()["metadata"].as_object()["resourceVersion"] =
                  string_at(current->body(), "metadata.resourceVersion");
            }
            return Store::Decision(body);
          }};
}

inline Store::Write removal(const std::string& name) {
  return {"pods", Key{"default", name}, [](const ObjectPtr& current) -> Result<Store::Decision> {
            if (!current) return Error(Code::kNotFound, "gone");
            return Store::Decision();
          }};
}

inline Row stored(const std::string& name, std::int64_t revision, std::string text) {
  Row row;
  row.collection = "pods";
  row.key = Key{"default", name};
  row.state.revision = revision;
  row.state.text = std::make_shared<const std::string>(std::move(text));
  return row;
}

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Store::open(loop_.executor(), clock_, journal_);
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = *std::move(opened);
  }

  template <class T>
  T run(awaitable<T> task) {
    return loop_.run(std::move(task));
  }
  /// Starts a write and calls `ended` with its outcome.
  void start(Store::Write write, std::function<void(Result<ObjectPtr>)> ended) {
    boost::asio::co_spawn(
        loop_.executor(), store_->write(std::move(write)),
        [ended](const std::exception_ptr&, Result<ObjectPtr> result) { ended(std::move(result)); });
  }

  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
  ScriptedJournal journal_;
  std::unique_ptr<Store> store_;
};

}  // namespace trainyard::store
