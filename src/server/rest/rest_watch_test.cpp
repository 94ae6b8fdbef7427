// Watches over HTTP: every later event once, in order, none missed.
#include "server/test_server.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::server {
namespace {

using namespace std::chrono_literals;

const std::string kMaps = "/api/v1/namespaces/default/configmaps?watch=true";

class RestWatchTest : public ServerTest {
 protected:
  RestWatchTest() : tasks_(loop_.executor()) {}
  void TearDown() override { loop_.run(tasks_.stop()); }

  void open(const std::string& target, std::vector<Header> headers = {}) {
    http::Request request = make_request("GET", target, "", std::move(headers));
    tasks_.spawn("watch", handler_.handle(std::move(request), writer_));
    loop_.run_until(
        [&] { return writer_.answered() && (clock_.sleepers() > 0 || writer_.finished); });
  }
  std::size_t received() const {
    const std::string& body = writer_.response.body;
    return static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
  }
  /// All events so far, when there are that many.
  std::vector<Json> events(std::size_t expected) {
    loop_.run_until([&] { return received() >= expected; });
    std::vector<Json> all;
    std::string_view rest = writer_.response.body;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      all.push_back(parse_json(rest.substr(0, end)).value_or(nullptr));
      rest.remove_prefix(end + 1);
    }
    EXPECT_EQ(all.size(), expected);
    return all;
  }
  /// "ADDED a", one a line.
  std::vector<std::string> lines(std::size_t expected) {
    std::vector<std::string> words;
    for (const Json& event : events(expected)) {
      words.push_back(std::string(string_at(event, "type")) + " " +
                      std::string(string_at(event, "object.metadata.name")));
    }
    return words;
  }
  void label(const std::string& name, const std::string& value) {
    ASSERT_TRUE(patch(kConfigMaps, name, {{"metadata", {{"labels", {{"app", value}}}}}}));
  }

  awaitable<void> create_late() {
    Json late = make_config_map("late");
    WriteOptions options;
    const auto made =
        co_await verbs_.create(kind_of(kConfigMaps), "default", std::move(late), options);
    EXPECT_TRUE(made);
  }

  FakeWriter writer_;
  TaskGroup tasks_;
};

using Lines = std::vector<std::string>;

TEST_F(RestWatchTest, WithoutAVersionItBeginsWithWhatExists) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  open(kMaps);
  ASSERT_TRUE(create(kConfigMaps, make_config_map("b")));
  ASSERT_TRUE(remove(kConfigMaps, "a"));
  EXPECT_EQ(lines(3), (Lines{"ADDED a", "ADDED b", "DELETED a"}));
  EXPECT_EQ(writer_.response.headers.find("Content-Type"), "application/json");
}

TEST_F(RestWatchTest, FromAVersionItSendsEveryLaterEventOnceAndInOrder) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  const std::string version = std::to_string(store_->revision());
  label("a", "x");
  ASSERT_TRUE(create(kPods, make_pod("other-kind")));
  open(kMaps + "&resourceVersion=" + version);
  label("a", "y");
  ASSERT_TRUE(remove(kConfigMaps, "a"));
  EXPECT_EQ(lines(3), (Lines{"MODIFIED a", "MODIFIED a", "DELETED a"}));
  std::int64_t last = 0;
  for (const Json& event : events(3)) {
    const std::int64_t revision =
        std::stoll(std::string(string_at(event, "object.metadata.resourceVersion")));
    EXPECT_GT(revision, last) << "a deletion has a version of its own, too";
    last = revision;
  }
}

TEST_F(RestWatchTest, OnlyTheAskedNamespaceIsWatched) {
  ASSERT_TRUE(create(kNamespaces, {{"metadata", {{"name", "other"}}}}));
  open(kMaps);
  ASSERT_TRUE(loop_.run(
      verbs_.create(kind_of(kConfigMaps), "other", make_config_map("theirs"), WriteOptions())));
  ASSERT_TRUE(create(kConfigMaps, make_config_map("ours")));
  EXPECT_EQ(lines(1), Lines{"ADDED ours"});
}

TEST_F(RestWatchTest, AnObjectThatStopsMatchingIsDeletedForTheWatcher) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a", {{"app", "x"}})));
  open(kMaps + "&labelSelector=app%3Dx");
  ASSERT_TRUE(create(kConfigMaps, make_config_map("b", {{"app", "y"}})));
  label("a", "y");  // leaves
  label("a", "z");  // still not ours
  label("b", "x");  // comes
  ASSERT_TRUE(patch(kConfigMaps, "b", {{"data", {{"key", "new"}}}}));
  ASSERT_TRUE(remove(kConfigMaps, "a"));  // nobody here knows it
  ASSERT_TRUE(remove(kConfigMaps, "b"));
  EXPECT_EQ(lines(5), (Lines{"ADDED a", "DELETED a", "ADDED b", "MODIFIED b", "DELETED b"}));
}

TEST_F(RestWatchTest, WatchesOneObjectByItsName) {
  open(kMaps + "&fieldSelector=metadata.name%3Db");
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  ASSERT_TRUE(create(kConfigMaps, make_config_map("b")));
  EXPECT_EQ(lines(1), Lines{"ADDED b"});
}

TEST_F(RestWatchTest, AStreamedListEndsWithItsBookmark) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  const std::int64_t listed = store_->revision();
  open(kMaps +
       "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  ASSERT_TRUE(create(kConfigMaps, make_config_map("b")));
  EXPECT_EQ(lines(3), (Lines{"ADDED a", "BOOKMARK ", "ADDED b"}));
  const Json mark = events(3)[1];
  EXPECT_EQ(annotation_of(mark.at("object"), "k8s.io/initial-events-end"), "true");
  EXPECT_EQ(string_at(mark, "object.kind"), "ConfigMap");
  EXPECT_EQ(string_at(mark, "object.metadata.resourceVersion"), std::to_string(listed));
}

TEST_F(RestWatchTest, AStreamedListOfNothingStillEndsWithItsBookmark) {
  open(kMaps +
       "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  EXPECT_EQ(lines(1), Lines{"BOOKMARK "});
}

TEST_F(RestWatchTest, ABookmarkNeverRunsAheadOfTheEvents) {
  // Who comes back from the bookmark's version must not miss what was written while it started.
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  const std::int64_t listed = store_->revision();
  writer_.while_starting = [this] { return create_late(); };
  open(kMaps +
       "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  EXPECT_EQ(lines(3), (Lines{"ADDED a", "BOOKMARK ", "ADDED late"}));
  EXPECT_EQ(string_at(events(3)[1], "object.metadata.resourceVersion"), std::to_string(listed));
}

TEST_F(RestWatchTest, BookmarksTellHowFarAQuietWatchHasCome) {
  open(kMaps + "&allowWatchBookmarks=true");
  ASSERT_TRUE(create(kPods, make_pod("other-kind")));
  clock_.advance(61s);
  const Json mark = events(1)[0];
  EXPECT_EQ(string_at(mark, "type"), "BOOKMARK");
  EXPECT_EQ(string_at(mark, "object.metadata.resourceVersion"), std::to_string(store_->revision()));
}

TEST_F(RestWatchTest, TheLastBookmarkComesShortlyBeforeTheEnd) {
  open(kMaps + "&allowWatchBookmarks=true&timeoutSeconds=5");
  ASSERT_TRUE(create(kPods, make_pod("other-kind")));
  clock_.advance(3s);
  const Json mark = events(1)[0];
  EXPECT_EQ(string_at(mark, "type"), "BOOKMARK");
  EXPECT_EQ(string_at(mark, "object.metadata.resourceVersion"), std::to_string(store_->revision()));
  clock_.advance(2s);
  loop_.run_until([&] { return writer_.finished; });
  EXPECT_EQ(received(), 1U);
}

TEST_F(RestWatchTest, RefusesAVersionMatchThatMeansNothing) {
  for (const char* query :
       {"&resourceVersionMatch=NotOlderThan&resourceVersion=5", "&sendInitialEvents=true",
        "&sendInitialEvents=false", "&sendInitialEvents=true&resourceVersionMatch=Exact"}) {
    EXPECT_EQ(call("GET", kMaps + query).status, 422) << query;
  }
}

TEST_F(RestWatchTest, NobodyGetsBookmarksUnasked) {
  open(kMaps + "&timeoutSeconds=120");
  clock_.advance(61s);
  loop_.run_ready();
  clock_.advance(61s);
  loop_.run_until([&] { return writer_.finished; });
  EXPECT_EQ(writer_.response.body, "");
}

TEST_F(RestWatchTest, EndsAfterItsTimeout) {
  open(kMaps + "&timeoutSeconds=30");
  clock_.advance(29s);
  loop_.run_ready();
  EXPECT_FALSE(writer_.finished);
  clock_.advance(1s);
  loop_.run_until([&] { return writer_.finished; });
}

TEST_F(RestWatchTest, ATimeoutOfZeroIsTheServersOwn) {
  open(kMaps + "&timeoutSeconds=0");
  EXPECT_FALSE(writer_.finished);
}

TEST_F(RestWatchTest, AVersionThatIsNoLongerKeptHasExpired) {
  open(kMaps + "&resourceVersion=" + std::to_string(kFirstRevision - 1));
  EXPECT_EQ(writer_.response.status, 410);
  EXPECT_EQ(string_at(body_of(writer_.response), "reason"), "Expired");
}

TEST_F(RestWatchTest, TablesCarryTheirColumnsOnce) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  open(kMaps, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  label("a", "x");
  const auto all = events(2);
  EXPECT_EQ(string_at(all[0], "object.kind"), "Table");
  EXPECT_FALSE(array_at(all[0], "object.columnDefinitions").empty());
  EXPECT_TRUE(array_at(all[1], "object.columnDefinitions").empty());
  EXPECT_EQ(array_at(array_at(all[1], "object.rows")[0], "cells")[0], "a");
}

}  // namespace
}  // namespace trainyard::server
