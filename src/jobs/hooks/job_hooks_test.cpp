#include "jobs/hooks/job_hooks.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "jobs/hooks/end_notice.h"
#include "jobs/resources.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

const Resource kThings{"example.org", "v1", "things"};

class JobHooksTest : public testing::Test {
 protected:
  JobHooksTest() : api_(loop_.executor(), clock_) {
    options_.command = "echo \"$TRAINYARD_JOB $TRAINYARD_PHASE\" >> " + told_.string();
    options_.log = folder_.path() / "hooks.log";
  }
  ObjectPtr put(const char* name, const char* phase, const char* annotation = "",
                const char* ended = "2026-01-01T00:00:00Z") {
    Json job{{"apiVersion", "example.org/v1"},
             {"kind", "Thing"},
             {"metadata", {{"name", name}, {"namespace", "ns"}, {"uid", std::string("u-") + name}}},
             {"status", {{"phase", phase}, {"completionTime", ended}}}};
    if (*annotation != '\0') {
      make_path(job, "metadata").as_object()["annotations"] =
          JsonObject{{kWebhookAnnotation, annotation}};
    }
    return api_.put(kThings, std::move(job));
  }
  bool is_noted(const char* name) {
    const ObjectPtr job = api_.find(kThings, Key{"ns", name});
    const Json* notes = find(job->body(), "metadata.annotations");
    return notes != nullptr && notes->as_object().contains(kToldAnnotation);
  }
  std::string told() const { return read_file(told_).value_or(""); }
  /// Looks at the job as a server that has just started does, and waits until `done`.
  void run(const std::vector<ObjectPtr>& jobs, const std::function<bool()>& done) {
    JobHooks hooks(loop_.executor(), api_, clock_, options_);
    hooks.start();
    for (const ObjectPtr& job : jobs) {
      hooks.look(kThings, job, false);
      hooks.look(kThings, job, false);  // it changes often
    }
    loop_.run_until(done);
    loop_.run(hooks.stop());
  }

  TestFolder folder_;
  std::filesystem::path told_ = folder_.path() / "told";
  TestLoop loop_;
  SystemClock clock_;
  client::FakeApi api_;
  HookOptions options_;
};

TEST_F(JobHooksTest, TellsEachEndOnceAndNotesIt) {
  put("running", "Running");
  const ObjectPtr failed = put("failed", "Failed");
  run({api_.find(kThings, Key{"ns", "running"}), failed}, [&] { return is_noted("failed"); });
  EXPECT_EQ(told(), "failed Failed\n");
  // The next server sees the note, and has one more to tell of.
  run({api_.find(kThings, Key{"ns", "failed"}), put("more", "Succeeded")},
      [&] { return is_noted("more"); });
  EXPECT_EQ(told(), "failed Failed\nmore Succeeded\n");
}

TEST_F(JobHooksTest, LeavesAloneWhatEndedBeforeThereWereHooks) {
  options_.since = *parse_time("2026-02-01T00:00:00Z");
  const ObjectPtr old = put("old", "Failed");
  const ObjectPtr fresh = put("new", "Failed", "", "2026-03-01T00:00:00Z");
  run({old, fresh}, [&] { return is_noted("new"); });
  EXPECT_EQ(told(), "new Failed\n");
  EXPECT_FALSE(is_noted("old"));
}

TEST_F(JobHooksTest, TellsOfAJobThatIsDeletedAsItEnds) {
  const ObjectPtr gone = put("gone", "Succeeded");
  api_.erase(kThings, Key{"ns", "gone"});
  JobHooks hooks(loop_.executor(), api_, clock_, options_);
  hooks.start();
  hooks.look(kThings, gone, true);
  loop_.run_until([&] { return !told().empty(); });
  loop_.run(hooks.stop());
  EXPECT_EQ(told(), "gone Succeeded\n");
}

TEST_F(JobHooksTest, SaysAtOnceThatAJobsOwnAddressIsNone) {
  options_.command.clear();
  run({put("job", "Running", "http://example.org/SECRET")},
      [&] { return !api_.all(kEvents).empty(); });
  const Json event = api_.all(kEvents).front()->body();
  EXPECT_EQ(string_at(event, "reason"), "WebhookRefused");
  EXPECT_EQ(to_text(event).find("SECRET"), std::string::npos) << to_text(event);
}

TEST_F(JobHooksTest, GivesUpOnAWebhookAfterSomeTriesAndSaysSo) {
  options_.command.clear();
  options_.limits.tries = 2;
  options_.limits.first_pause = std::chrono::seconds(0);
  // Port 1 of this machine: nobody listens there.
  run({put("job", "Failed", "http://127.0.0.1:1/SECRET")}, [&] { return is_noted("job"); });
  const Json event = api_.all(kEvents).front()->body();
  EXPECT_EQ(string_at(event, "reason"), "EndNotTold");
  EXPECT_EQ(to_text(event).find("SECRET"), std::string::npos) << to_text(event);
  EXPECT_NE(string_at(event, "message").find("127.0.0.1:1"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::jobs
