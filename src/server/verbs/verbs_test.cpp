#include "server/verbs/verbs.h"

#include "server/test_server.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

using namespace std::chrono_literals;

class VerbsTest : public ServerTest {
 protected:
  std::vector<std::string> list(const Resource& resource, client::ListOptions options) {
    std::vector<std::string> names;
    const auto listing = verbs_.list(*kind_of(resource), ListRequest{options, 0, "", "", ""});
    EXPECT_TRUE(listing);
    for (const ObjectPtr& object : listing->listing.objects)
      names.emplace_back(name_of(object->body()));
    return names;
  }

  /// A pod that has a node, and so a process.
  void create_placed(const std::string& name) {
    ASSERT_TRUE(create(kPods, make_pod(name)));
    ASSERT_TRUE(bind({{{"default", name}, "node-0"}}));
  }

  Result<> bind(std::vector<client::Binding> bindings) {
    return loop_.run(verbs_.bind(std::move(bindings)));
  }
  awaitable<void> add_label(std::string name, int& done) {
    Json change{{"metadata", {{"labels", {{name, "set"}}}}}};
    Key pod{"default", "a"};
    WriteOptions options;
    const auto patched =
        co_await verbs_.patch(kind_of(kPods), std::move(pod), client::PatchType::kMerge,
                              std::move(change), Part::kMain, std::move(options));
    EXPECT_TRUE(patched);
    ++done;
  }
  bool exists(const Resource& resource, const std::string& name) {
    return verbs_.get(*kind_of(resource), {"default", name}).has_value();
  }
};

TEST_F(VerbsTest, EveryChangeRaisesTheOneResourceVersionByOne) {
  const auto first = create(kPods, make_pod("a"));
  const auto second = create(kConfigMaps, make_config_map("a"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*second)->revision(), (*first)->revision() + 1);
  EXPECT_EQ(string_at((*second)->body(), "metadata.resourceVersion"),
            std::to_string((*second)->revision()));
}

TEST_F(VerbsTest, CreateRefusesASecondOfTheSameNameAndAnUnknownNamespace) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  const auto second = create(kPods, make_pod("a"));
  ASSERT_TRUE(second.failed_with(Code::kAlreadyExists));
  EXPECT_EQ(second.error().message(), "pods \"a\" already exists");
  const auto lost = loop_.run(verbs_.create(kind_of(kPods), "nowhere", make_pod("a"), {}));
  EXPECT_TRUE(lost.failed_with(Code::kNotFound));
}

TEST_F(VerbsTest, ADryRunChangesNothing) {
  WriteOptions dry;
  dry.dry_run = true;
  const std::int64_t before = store_->revision();
  EXPECT_TRUE(create(kPods, make_pod("a"), dry));
  EXPECT_FALSE(exists(kPods, "a"));
  create_placed("b");
  Json changed{{"metadata", {{"labels", {{"x", "y"}}}}}};
  const auto patched = loop_.run(verbs_.patch(
      kind_of(kPods), {"default", "b"}, client::PatchType::kMerge, changed, Part::kMain, dry));
  ASSERT_TRUE(patched);
  EXPECT_EQ(label_of((*patched)->body(), "x"), "y");
  DeleteRequest removal;
  removal.dry_run = true;
  EXPECT_TRUE(remove(kPods, "b", removal));
  EXPECT_EQ(label_of(get(kPods, "b"), "x"), "");
  EXPECT_FALSE(is_being_deleted(get(kPods, "b")));
  EXPECT_EQ(store_->revision(), before + 2) << "only b's creation and placement";
}

TEST_F(VerbsTest, AnUpdateOfAnOldVersionIsAConflict) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  Json mine = get(kConfigMaps, "a");
  ASSERT_TRUE(patch(kConfigMaps, "a", {{"data", {{"key", "theirs"}}}}));
  make_path(mine, "data.key") = "mine";
  const auto refused = update(kConfigMaps, mine);
  ASSERT_TRUE(refused.failed_with(Code::kConflict));
  EXPECT_NE(refused.error().message().find("the object has been modified"), std::string::npos);
  EXPECT_EQ(string_at(get(kConfigMaps, "a"), "data.key"), "theirs");
}

TEST_F(VerbsTest, GenerationRisesOnlyWithTheSpec) {
  ASSERT_TRUE(create(kPyTorchTrainingJobs, make_job("j")));
  ASSERT_TRUE(patch(kPyTorchTrainingJobs, "j", {{"metadata", {{"labels", {{"a", "b"}}}}}}));
  ASSERT_TRUE(
      patch(kPyTorchTrainingJobs, "j", {{"status", {{"phase", "Running"}}}}, Part::kStatus));
  EXPECT_EQ(int_at(get(kPyTorchTrainingJobs, "j"), "metadata.generation"), 1);
  ASSERT_TRUE(patch(kPyTorchTrainingJobs, "j", {{"spec", {{"runPolicy", {{"backoffLimit", 7}}}}}}));
  EXPECT_EQ(int_at(get(kPyTorchTrainingJobs, "j"), "metadata.generation"), 2);
}

TEST_F(VerbsTest, StatusAndTheRestAreWrittenApart) {
  ASSERT_TRUE(create(kPyTorchTrainingJobs, make_job("j")));
  Json both = get(kPyTorchTrainingJobs, "j");
  make_path(both, "status.phase") = "Running";
  make_path(both, "spec.runPolicy.backoffLimit") = 9;
  make_path(both, "metadata.resourceVersion") = "";
  ASSERT_TRUE(update(kPyTorchTrainingJobs, both, Part::kStatus));
  EXPECT_EQ(string_at(get(kPyTorchTrainingJobs, "j"), "status.phase"), "Running");
  EXPECT_EQ(int_at(get(kPyTorchTrainingJobs, "j"), "spec.runPolicy.backoffLimit"), 3);
  make_path(both, "status.phase") = "Failed";
  ASSERT_TRUE(update(kPyTorchTrainingJobs, both));
  EXPECT_EQ(string_at(get(kPyTorchTrainingJobs, "j"), "status.phase"), "Running");
  EXPECT_EQ(int_at(get(kPyTorchTrainingJobs, "j"), "spec.runPolicy.backoffLimit"), 9);
}

TEST_F(VerbsTest, IdentityNeverChanges) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  const Json before = get(kConfigMaps, "a");
  clock_.advance(1h);
  ASSERT_TRUE(patch(
      kConfigMaps, "a",
      {{"metadata", {{"creationTimestamp", "1999-01-01T00:00:00Z"}}}, {"data", {{"key", "new"}}}}));
  EXPECT_EQ(string_at(get(kConfigMaps, "a"), "metadata.creationTimestamp"),
            string_at(before, "metadata.creationTimestamp"));
  EXPECT_TRUE(
      patch(kConfigMaps, "a", {{"metadata", {{"uid", "other"}}}}).failed_with(Code::kConflict));
  EXPECT_FALSE(patch(kConfigMaps, "a", {{"metadata", {{"name", "other"}}}}));
}

TEST_F(VerbsTest, APodsSpecCannotBeChangedAndItsLabelsCan) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  EXPECT_TRUE(patch(kPods, "a", {{"spec", {{"hostname", "x"}}}}).failed_with(Code::kInvalid));
  EXPECT_TRUE(patch(kPods, "a", {{"metadata", {{"labels", {{"x", "y"}}}}}}));
}

TEST_F(VerbsTest, APodGetsItsGracePeriodOnlyWhileItMayHaveAProcess) {
  ASSERT_TRUE(create(kPods, make_pod("unplaced")));
  ASSERT_TRUE(remove(kPods, "unplaced"));
  EXPECT_FALSE(exists(kPods, "unplaced"));
  create_placed("runs");
  ASSERT_TRUE(remove(kPods, "runs"));
  EXPECT_EQ(int_at(get(kPods, "runs"), "metadata.deletionGracePeriodSeconds"), 30);
  EXPECT_EQ(string_at(get(kPods, "runs"), "metadata.deletionTimestamp"), "2026-03-01T10:00:30Z");
  create_placed("ended");
  ASSERT_TRUE(patch(kPods, "ended", {{"status", {{"phase", "Failed"}}}}, Part::kStatus));
  ASSERT_TRUE(remove(kPods, "ended"));
  EXPECT_FALSE(exists(kPods, "ended"));
}

TEST_F(VerbsTest, ASecondDeletionMayShortenTheGracePeriodAndNotLengthenIt) {
  create_placed("p");
  const auto remove_within = [&](std::int64_t seconds) {
    DeleteRequest request;
    request.grace_seconds = seconds;
    return remove(kPods, "p", request);
  };
  ASSERT_TRUE(remove_within(20));
  ASSERT_TRUE(remove_within(60));
  EXPECT_EQ(int_at(get(kPods, "p"), "metadata.deletionGracePeriodSeconds"), 20);
  ASSERT_TRUE(remove_within(5));
  EXPECT_EQ(int_at(get(kPods, "p"), "metadata.deletionGracePeriodSeconds"), 5);
  ASSERT_TRUE(remove_within(0));
  EXPECT_FALSE(exists(kPods, "p"));
}

TEST_F(VerbsTest, AnObjectWithFinalizersGoesWhenTheLastOneIsTakenAway) {
  Json map = make_config_map("a");
  make_path(map, "metadata.finalizers") = JsonArray{"x/one", "x/two"};
  ASSERT_TRUE(create(kConfigMaps, map));
  ASSERT_TRUE(remove(kConfigMaps, "a"));
  EXPECT_TRUE(is_being_deleted(get(kConfigMaps, "a")));
  ASSERT_TRUE(patch(kConfigMaps, "a", {{"metadata", {{"finalizers", {"x/two"}}}}}));
  EXPECT_TRUE(exists(kConfigMaps, "a"));
  ASSERT_TRUE(patch(kConfigMaps, "a", {{"metadata", {{"finalizers", nullptr}}}}));
  EXPECT_FALSE(exists(kConfigMaps, "a"));
}

TEST_F(VerbsTest, APodInItsGracePeriodStaysWhenItsFinalizersGo) {
  Json pod = make_pod("p");
  make_path(pod, "metadata.finalizers") = JsonArray{"x/one"};
  ASSERT_TRUE(create(kPods, pod));
  ASSERT_TRUE(bind({{{"default", "p"}, "node-0"}}));
  ASSERT_TRUE(remove(kPods, "p"));
  ASSERT_TRUE(patch(kPods, "p", {{"metadata", {{"finalizers", nullptr}}}}));
  EXPECT_TRUE(exists(kPods, "p")) << "its processes still have their time";
  DeleteRequest now;
  now.grace_seconds = 0;
  ASSERT_TRUE(remove(kPods, "p", now));
  EXPECT_FALSE(exists(kPods, "p"));
}

TEST_F(VerbsTest, DeletionHonoursItsPreconditions) {
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  DeleteRequest other;
  other.uid = "somebody else's";
  EXPECT_TRUE(remove(kConfigMaps, "a", other).failed_with(Code::kConflict));
  DeleteRequest old;
  old.resource_version = "1";
  EXPECT_TRUE(remove(kConfigMaps, "a", old).failed_with(Code::kConflict));
  DeleteRequest right;
  right.uid = uid_of(get(kConfigMaps, "a"));
  EXPECT_TRUE(remove(kConfigMaps, "a", right));
  EXPECT_TRUE(remove(kConfigMaps, "a").failed_with(Code::kNotFound));
}

TEST_F(VerbsTest, BindPlacesAllPodsOrNone) {
  ASSERT_TRUE(create(kPods, make_pod("a")));
  ASSERT_TRUE(create(kPods, make_pod("b")));
  EXPECT_FALSE(bind({{{"default", "a"}, "node-0"}, {{"default", "missing"}, "node-0"}}));
  EXPECT_EQ(string_at(get(kPods, "a"), "spec.nodeName"), "");
  ASSERT_TRUE(bind({{{"default", "a"}, "node-0"}, {{"default", "b"}, "node-1"}}));
  EXPECT_EQ(string_at(get(kPods, "b"), "spec.nodeName"), "node-1");
  EXPECT_TRUE(bind({{{"default", "a"}, "node-1"}}).failed_with(Code::kConflict));
}

TEST_F(VerbsTest, BindGivesAPodAsManyGpusAsItAsksFor) {
  Json pod = make_pod("a");
  make_path(pod, "spec.containers").get_array()[0].get_object()["resources"] =
      Json{{"limits", {{"nvidia.com/gpu", "2"}}}};
  ASSERT_TRUE(create(kPods, pod));
  const auto bind_with = [&](const char* gpus) {
    return bind({{{"default", "a"}, "node-0", {{client::kGpusAnnotation, gpus}}}});
  };
  for (const char* wrong : {"", "0", "0,0", "0,1,2", "0,-1", "0,x", "0,1,", "0, 1"}) {
    EXPECT_TRUE(bind_with(wrong).failed_with(Code::kInvalid)) << wrong;
  }
  EXPECT_TRUE(bind({{{"default", "a"}, "node-0"}}).failed_with(Code::kInvalid));
  EXPECT_EQ(string_at(get(kPods, "a"), "spec.nodeName"), "");
  ASSERT_TRUE(bind_with("0,3"));
  EXPECT_EQ(annotation_of(get(kPods, "a"), client::kGpusAnnotation), "0,3");
  ASSERT_TRUE(create(kPods, make_pod("b")));
  EXPECT_TRUE(bind({{{"default", "b"}, "node-0", {{client::kGpusAnnotation, "0"}}}})
                  .failed_with(Code::kInvalid))
      << "which it did not ask for";
}

/// One whose admission is left to another thread.
Json make_heavy_pod(const std::string& name) {
  Json pod = make_pod(name);
  JsonArray variables;
  for (int i = 0; i < 5000; ++i) {
    variables.push_back({{"name", "V" + std::to_string(i)}, {"value", std::string(30, 'x')}});
  }
  make_path(pod, "spec.containers").get_array()[0].get_object()["env"] = std::move(variables);
  return pod;
}

TEST_F(VerbsTest, LargeObjectsAreWrittenLikeSmallOnes) {
  WriteOptions options;
  options.manager = "test";
  std::vector<std::string> warnings;
  options.warnings = &warnings;
  Json pod = make_heavy_pod("a");
  make_path(pod, "spec.misspelt") = 1;
  const auto made = create(kPods, pod, options);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(warnings, std::vector<std::string>{R"(unknown field "spec.misspelt")"});
  EXPECT_EQ(array_at((*made)->whole(), "metadata.managedFields").size(), 1U);
  EXPECT_EQ(string_at((*made)->body(), "spec.restartPolicy"), "Always") << "defaults";
  EXPECT_TRUE(create(kPods, make_heavy_pod("a")).failed_with(Code::kAlreadyExists));
  ASSERT_TRUE(patch(kPods, "a", {{"metadata", {{"labels", {{"x", "y"}}}}}}));
  EXPECT_EQ(label_of(get(kPods, "a"), "x"), "y");
  EXPECT_TRUE(patch(kPods, "a", {{"spec", {{"hostname", "x"}}}}).failed_with(Code::kInvalid));
  Json old = get(kPods, "a");
  ASSERT_TRUE(patch(kPods, "a", {{"metadata", {{"labels", {{"x", "z"}}}}}}));
  EXPECT_TRUE(update(kPods, old).failed_with(Code::kConflict));
  ASSERT_TRUE(patch(kPods, "a", {{"status", {{"phase", "Running"}}}}, Part::kStatus));
  EXPECT_EQ(string_at(get(kPods, "a"), "status.phase"), "Running");
  ASSERT_TRUE(remove(kPods, "a"));
  EXPECT_FALSE(exists(kPods, "a"));
}

TEST_F(VerbsTest, ALargeObjectThatChangesMeanwhileIsChangedAsItIsThen) {
  ASSERT_TRUE(create(kPods, make_heavy_pod("a")));
  TaskGroup tasks(loop_.executor());
  int done = 0;
  constexpr int kPatches = 8;
  for (int i = 0; i < kPatches; ++i) tasks.spawn("patch", add_label("l" + std::to_string(i), done));
  loop_.run_until([&] { return done == kPatches; });
  EXPECT_EQ(object_at(get(kPods, "a"), "metadata.labels").size(), std::size_t{kPatches});
  loop_.run(tasks.stop());
}

TEST_F(VerbsTest, APodOfTooManyContainersIsRefusedInASentence) {
  Json pod = make_pod("a");
  JsonArray& containers = make_path(pod, "spec.containers").get_array();
  const Json first = containers[0];
  containers.clear();
  for (int i = 0; i < 257; ++i) {
    Json one = first;
    one.get_object()["name"] = "c" + std::to_string(i);
    containers.push_back(std::move(one));
  }
  const auto refused = create(kPods, pod);
  ASSERT_TRUE(refused.failed_with(Code::kInvalid));
  EXPECT_NE(refused.error().message().find("a pod may have at most 256 containers"),
            std::string::npos)
      << refused.error().message();
  containers.pop_back();
  EXPECT_TRUE(create(kPods, pod));
}

TEST_F(VerbsTest, ListSelectsByLabelsAndFields) {
  ASSERT_TRUE(create(kPods, make_pod("a", {{"app", "x"}, {"tier", "1"}})));
  ASSERT_TRUE(create(kPods, make_pod("b", {{"app", "y"}})));
  create_placed("c");
  struct Case {
    const char* labels;
    const char* fields;
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {"", "", {"a", "b", "c"}},
      {"app=x", "", {"a"}},
      {"app in (x,y),tier", "", {"a"}},
      {"app!=x", "", {"b", "c"}},
      {"!app", "", {"c"}},
      {"", "metadata.name=b", {"b"}},
      {"", "spec.nodeName=node-0", {"c"}},
      {"", "spec.nodeName!=node-0,status.phase=Pending", {"a", "b"}},
      {"app", "metadata.name!=a", {"b"}},
  };
  for (const Case& expected : cases) {
    EXPECT_EQ(list(kPods, {"default", expected.labels, expected.fields}), expected.expected)
        << expected.labels << " " << expected.fields;
  }
  EXPECT_TRUE(list(kPods, {"elsewhere", "", ""}).empty());
}

TEST_F(VerbsTest, ListRefusesFieldsThatTheKindCannotBeSelectedBy) {
  const auto refused = verbs_.list(*kind_of(kConfigMaps),
                                   ListRequest{{"", "", "status.phase=Running"}, 0, "", "", ""});
  ASSERT_TRUE(refused.failed_with(Code::kBadRequest));
  EXPECT_EQ(refused.error().message(), "field label not supported: status.phase");
}

}  // namespace
}  // namespace trainyard::server
