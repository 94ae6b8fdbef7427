#include "node/logs/log_archive.h"

#include "base/fake_clock.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <fstream>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

class LogArchiveTest : public testing::Test {
 protected:
  LogArchiveTest() : clock_(loop_.executor()), paths_(folder_.path()) {}

  LogArchive open(LogRetention retention = {}) {
    return LogArchive(loop_.executor(), loop_.executor(), folder_.path(), clock_, retention);
  }

  static Json pod(const std::string& name, const std::string& uid) {
    return Json{
        {"metadata",
         {{"namespace", "team"}, {"name", name}, {"uid", uid}, {"labels", {{"job", "fit"}}}}}};
  }
  void write_log(const std::string& uid, const char* container, int run, const std::string& text,
                 const char* file = "log") {
    const auto folder = paths_.run(uid, container, run);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / file) << text;
  }
  /// A pod that wrote a log and went.
  void lose(LogArchive& archive, const std::string& name, const std::string& uid,
            const std::string& text = "text\n") {
    archive.remember(pod(name, uid));
    write_log(uid, "main", 0, text);
    archive.keep(uid);
    loop_.run_ready();
    std::filesystem::remove_all(paths_.pod(uid));
    clock_.advance(1s);
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TestLoop loop_;
  FakeClock clock_;
  TestFolder folder_;
  Paths paths_;
};

TEST_F(LogArchiveTest, KeepsEveryRunOfEveryContainer) {
  LogArchive archive = open();
  archive.remember(pod("p", "u1"));
  write_log("u1", "main", 0, "first\n");
  write_log("u1", "main", 1, "second\n");
  write_log("u1", "main", 1, "third\n", "log.1");
  write_log("u1", "side", 0, "beside\n");
  write_log("u1", "mute", 0, "");
  archive.keep("u1");
  const auto kept = archive.newest({"team", "p"});
  ASSERT_TRUE(kept);
  EXPECT_EQ(string_at(kept->labels, "job"), "fit");
  EXPECT_EQ(kept->bytes, 26);
  const auto last = kept_run(*kept, "main", {}, false);
  ASSERT_TRUE(last);
  EXPECT_EQ(read(*last / "log") + read(*last / "log.1"), "second\nthird\n");
  const auto before = kept_run(*kept, "main", {}, true);
  ASSERT_TRUE(before);
  EXPECT_EQ(read(*before / "log"), "first\n");
  EXPECT_FALSE(kept_run(*kept, "side", {}, true));
  const auto unnamed = kept_run(*kept, "", {}, false);
  ASSERT_TRUE(unnamed.failed_with(Code::kBadRequest));
  EXPECT_NE(unnamed.error().message().find("[main side]"), std::string::npos);
}

TEST_F(LogArchiveTest, InitContainersNeedANameAndTheOnlyOtherOneDoesNot) {
  LogArchive archive = open();
  for (const char* uid : {"u1", "u2"}) {
    Json made = pod("p", uid);
    make_path(made, "spec.containers") = JsonArray{{{"name", "main"}}};
    archive.remember(made);
    write_log(uid, "prepare", 0, "ready\n");
  }
  write_log("u1", "main", 0, "trained\n");
  archive.keep("u1");
  archive.keep("u2");
  const auto of_main = kept_run(*archive.by_uid({"team", "p"}, "u1"), "", {}, false);
  ASSERT_TRUE(of_main);
  EXPECT_EQ(read(*of_main / "log"), "trained\n");
  const auto of_init = kept_run(*archive.by_uid({"team", "p"}, "u2"), "", {}, false);
  ASSERT_TRUE(of_init) << "the main container never ran";
  EXPECT_EQ(read(*of_init / "log"), "ready\n");
}

TEST_F(LogArchiveTest, PodsWithoutALogAreForgotten) {
  LogArchive archive = open();
  lose(archive, "quiet", "u1", "");
  archive.keep("never remembered");
  EXPECT_TRUE(archive.list("team").empty());
  EXPECT_FALSE(std::filesystem::exists(paths_.logs()));
}

TEST_F(LogArchiveTest, PodsOfOneNameAreToldApart) {
  LogArchive archive = open();
  lose(archive, "p", "u1");
  lose(archive, "p", "u2");
  lose(archive, "q", "u3");
  EXPECT_EQ(archive.newest({"team", "p"})->uid, "u2");
  EXPECT_EQ(archive.newest({"team", "p"}, "u2")->uid, "u1");
  EXPECT_EQ(archive.by_uid({"team", "p"}, "u1")->uid, "u1");
  EXPECT_FALSE(archive.by_uid({"team", "q"}, "u1")) << "another pod's name";
  EXPECT_FALSE(archive.newest({"other", "p"})) << "another namespace";
}

TEST_F(LogArchiveTest, ALaterServerKnowsThemToo) {
  {
    LogArchive archive = open();
    lose(archive, "p", "u1");
    lose(archive, "p", "u2");
    archive.remember(pod("q", "u3"));
    write_log("u3", "main", 0, "text\n");
  }
  LogArchive later = open();
  EXPECT_EQ(later.newest({"team", "p"})->uid, "u2");
  later.keep("u3");
  EXPECT_EQ(later.list("team").size(), 3U);
}

TEST_F(LogArchiveTest, OldOnesGo) {
  LogRetention retention;
  retention.age = std::chrono::hours(2);
  LogArchive archive = open(retention);
  lose(archive, "p", "u1");
  clock_.advance(1h);
  lose(archive, "q", "u2");
  clock_.advance(1h);
  archive.prune();
  loop_.run_ready();
  ASSERT_EQ(archive.list("team").size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(paths_.logs() / "team" / "p"));
  clock_.advance(2h);
  archive.prune();
  loop_.run_ready();
  EXPECT_FALSE(std::filesystem::exists(paths_.logs() / "team"));
}

TEST_F(LogArchiveTest, TheLoopDoesNotWaitForWhatIsRemoved) {
  LogRetention retention;
  retention.age = std::chrono::hours(1);
  boost::asio::io_context slow;  // a thread that has yet to come to it
  LogArchive archive(loop_.executor(), slow.get_executor(), folder_.path(), clock_, retention);
  lose(archive, "p", "u1");
  clock_.advance(2h);
  archive.prune();
  EXPECT_TRUE(archive.list("team").empty());
  EXPECT_TRUE(std::filesystem::exists(paths_.kept_pod("team", "p", "u1")));
  slow.run();
  EXPECT_FALSE(std::filesystem::exists(paths_.kept_pod("team", "p", "u1")));
  loop_.run_ready();
  EXPECT_FALSE(std::filesystem::exists(paths_.logs() / "team"));
}

TEST_F(LogArchiveTest, OneThatCannotBeRemovedIsInNobodysWay) {
  LogRetention retention;
  retention.age = std::chrono::hours(1);
  const auto held = paths_.kept_pod("team", "p", "u1");
  bool is_held = true;
  const auto remove = [&](const std::filesystem::path& folder) -> Result<> {
    if (is_held && folder == held) return Error(Code::kInternal, "somebody holds it");
    return remove_folder(folder);
  };
  LogArchive archive(loop_.executor(), loop_.executor(), folder_.path(), clock_, retention, remove);
  lose(archive, "p", "u1");
  lose(archive, "q", "u2");
  clock_.advance(2h);
  archive.prune();
  loop_.run_ready();
  EXPECT_TRUE(std::filesystem::exists(held));
  EXPECT_FALSE(std::filesystem::exists(paths_.logs() / "team" / "q"));
  is_held = false;
  archive.prune();
  loop_.run_ready();
  EXPECT_FALSE(std::filesystem::exists(held)) << "it is tried again";
}

TEST_F(LogArchiveTest, TheOldestGoBeyondTheSize) {
  LogRetention retention;
  retention.bytes = 25;
  LogArchive archive = open(retention);
  for (const char* uid : {"u1", "u2", "u3"}) lose(archive, "p", uid, "0123456789");
  const auto kept = archive.list("team");
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept.front().uid, "u2");
  EXPECT_FALSE(std::filesystem::exists(paths_.kept_pod("team", "p", "u1")));
}

}  // namespace
}  // namespace trainyard::node
