#include "cli/arena/submit/submission.h"

#include "cli/arena/submit/record.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

using Words = std::vector<std::string>;

class ArenaObjectsTest : public testing::Test {
 protected:
  ArenaObjectsTest() {
    options_.name = "mnist";
    options_.image = "pytorch";
    options_.sync_image = "git";
    options_.command = "python a.py";
  }

  Submission submission(const char* type = "pytorchjob") {
    Submission made;
    made.type = training_type(type);
    made.settings =
        *read_settings(options_, made.type, Config{},
                       [](const std::string&) -> Result<std::string> { return std::string("x"); });
    made.caller = {"ann", "7e0d7f8a5d96c24ffcc840f31bce72b2"};
    made.ns = "vision";
    made.log_digits = "123456789";
    made.embedded = embedded_;
    return made;
  }
  Json job(const char* type = "pytorchjob") { return make_objects(submission(type)).back(); }
  /// A role's pod template.
  static Json pod(const Json& job, const std::string& role) {
    for (const char* field : {"pytorchReplicaSpecs", "tfReplicaSpecs", "mpiReplicaSpecs"}) {
      const Json* found = find(job, std::string("spec.") + field + "." + role + ".template");
      if (found != nullptr) return *found;
    }
    return nullptr;
  }
  static Json container(const Json& pod) { return array_at(pod, "spec.containers").at(0); }
  static std::string variable(const Json& container, std::string_view name) {
    for (const Json& entry : array_at(container, "env")) {
      if (string_at(entry, "name") == name) return std::string(string_at(entry, "value"));
    }
    return "(not set)";
  }
  static Words words_of(const std::vector<Json>& objects) {
    Words words;
    for (const Json& object : objects) words.push_back(object_word(object));
    return words;
  }

  SubmitOptions options_;
  bool embedded_ = true;
};

TEST_F(ArenaObjectsTest, AreARecordHelpersAndTheJobInThisOrder) {
  options_.tensorboard = true;
  options_.config_files = {"a:/etc/config/a"};
  const std::vector<Json> objects = make_objects(submission());
  EXPECT_EQ(words_of(objects),
            (Words{"configmap/mnist-pytorchjob", "configmap/mnist-a9cbad1b8719778",
                   "service/mnist-tensorboard", "deployment.apps/mnist-tensorboard",
                   "pytorchjob.kubeflow.org/mnist"}));
  EXPECT_EQ(string_at(objects[0], "data.app"),
            "configmap/mnist-a9cbad1b8719778\nservice/mnist-tensorboard\n"
            "deployment.apps/mnist-tensorboard\npytorchjob.kubeflow.org/mnist\n");
  EXPECT_EQ(label_of(objects[0], "createdBy"), "arena");
}

TEST_F(ArenaObjectsTest, RecordsCanBeReadBack) {
  options_.tensorboard = true;
  const auto read = read_record(make_objects(submission()).front());
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ(read->at(1).kind, "deployment.apps");
  EXPECT_EQ(read->at(2).resource.plural, "pytorchjobs");
  EXPECT_EQ(read->at(2).name, "mnist");
  EXPECT_FALSE(read_record(Json{{"data", {{"app", "pod/x"}}}}));
  EXPECT_FALSE(read_record(Json{{"data", {{"app", "service"}}}}));
}

TEST_F(ArenaObjectsTest, OfThreeWorkersOneIsTheMaster) {
  options_.workers = 3;
  options_.gpus = 2;
  const Json made = job();
  EXPECT_EQ(int_at(made, "spec.pytorchReplicaSpecs.Master.replicas"), 1);
  EXPECT_EQ(int_at(made, "spec.pytorchReplicaSpecs.Worker.replicas"), 2);
  EXPECT_EQ(string_at(made, "spec.pytorchReplicaSpecs.Master.restartPolicy"), "Never");
  EXPECT_EQ(string_at(made, "spec.pytorchReplicaSpecs.Worker.restartPolicy"), "OnFailure");
  EXPECT_EQ(annotation_of(made, "requestGPUsOfJobOwner"), "6");
  EXPECT_EQ(label_of(made, "app"), "pytorchjob");
  EXPECT_EQ(label_of(made, "release"), "mnist");
  const Json master = container(pod(made, "Master"));
  EXPECT_EQ(variable(master, "workers"), "3");
  EXPECT_EQ(variable(master, "gpus"), "2");
  EXPECT_EQ(variable(master, "NVIDIA_VISIBLE_DEVICES"), "(not set)");
  const Json* limits = find(master, "resources.limits");
  ASSERT_NE(limits, nullptr);
  EXPECT_EQ(to_text(*limits), R"({"nvidia.com/gpu":"2"})");
  EXPECT_EQ(label_of(pod(made, "Master"), "master-pod-name"), "mnist-master-0");
  EXPECT_EQ(label_of(pod(made, "Worker"), "master-pod-name"), "");
}

TEST_F(ArenaObjectsTest, OneWorkerIsTheMasterAlone) {
  options_.workers = 0;
  EXPECT_EQ(object_at(job(), "spec.pytorchReplicaSpecs").size(), 1U);
}

TEST_F(ArenaObjectsTest, CommandsAndVariablesReachTheContainerUnchanged) {
  options_.shell = "bash";
  options_.command = "echo \"a,b\" 'c' $$ $(date) x=y";
  options_.env = {"A=1,2 \"3\"=4", "B=$(A)", "NVIDIA_VISIBLE_DEVICES=all"};
  const Json main = container(pod(job(), "Master"));
  // $$ and $( are what the API would replace.
  EXPECT_EQ(to_text(*find(main, "command")),
            R"(["bash","-c","echo \"a,b\" 'c' $$$ $$(date) x=y"])");
  EXPECT_EQ(variable(main, "A"), "1,2 \"3\"=4");
  EXPECT_EQ(variable(main, "B"), "$$(A)");
  EXPECT_EQ(variable(main, "NVIDIA_VISIBLE_DEVICES"), "void");
}

TEST_F(ArenaObjectsTest, CodeComesThroughAnInitContainer) {
  options_.sync_mode = "git";
  options_.sync_source = "https://ann:secret@h/g/mnist-pytorch.git";
  options_.env = {"GIT_SYNC_USERNAME=ann", "GIT_SYNC_PASSWORD=secret", "GIT_SYNC_BRANCH=main"};
  options_.cpu = "2";
  const std::vector<Json> objects = make_objects(submission());
  const Json master = pod(objects.back(), "Master");
  const Json init = array_at(master, "spec.initContainers").at(0);
  EXPECT_EQ(string_at(init, "name"), "init-code");
  EXPECT_EQ(to_text(*find(init, "command")), R"(["trainyard","git-sync"])");
  EXPECT_EQ(variable(init, "GIT_SYNC_DEST"), "mnist-pytorch");
  EXPECT_EQ(variable(init, "GIT_SYNC_ROOT"), "/code");
  EXPECT_EQ(variable(init, "GIT_SYNC_PASSWORD"), "secret");
  EXPECT_EQ(string_at(init, "resources.limits.cpu"), "2");
  EXPECT_EQ(string_at(array_at(container(master), "volumeMounts").at(1), "mountPath"),
            "/root/code");
  // Neither the training nor the record knows the password.
  EXPECT_EQ(to_text(container(master)).find("secret"), std::string::npos);
  EXPECT_EQ(variable(container(master), "GIT_SYNC_BRANCH"), "main");
  EXPECT_EQ(to_text(objects.front()).find("secret"), std::string::npos);
}

TEST_F(ArenaObjectsTest, OnAClusterTheImageFetchesTheCode) {
  embedded_ = false;
  options_.sync_mode = "git";
  options_.sync_source = "https://h/r";
  const Json master = pod(job(), "Master");
  const Json init = array_at(master, "spec.initContainers").at(0);
  EXPECT_EQ(find(init, "command"), nullptr);
  EXPECT_EQ(string_at(init, "image"), "git");
}

TEST_F(ArenaObjectsTest, CodeFolderFollowsTheWorkingFolder) {
  options_.working_dir = "/w/";
  EXPECT_EQ(code_folder(options_), "/w/code");
  options_.working_dir = "";
  EXPECT_EQ(code_folder(options_), "/code");
}

TEST_F(ArenaObjectsTest, AWorkingFolderOfTheirOwnIsBelowTheirCode) {
  options_.sync_mode = "git";
  options_.sync_source = "https://h/r";
  Submission homeless = submission();
  homeless.own_working_dir = true;
  const Json master = pod(make_objects(homeless).back(), "Master");
  const Json main = container(master);
  const JsonArray& mounts = array_at(main, "volumeMounts");
  EXPECT_EQ(string_at(mounts.at(1), "mountPath"), "/root");
  EXPECT_EQ(string_at(mounts.at(2), "mountPath"), "/root/code");
}

TEST_F(ArenaObjectsTest, EventFilesInAVolumeNeedNoFolderOfTheNode) {
  options_.tensorboard = true;
  options_.data = {"training-data:/data"};
  options_.logdir = "/data/logs";
  EXPECT_FALSE(needs_log_folder(submission()));
  options_.logdir = "/data2/logs";
  EXPECT_TRUE(needs_log_folder(submission()));
  options_.logdir = "hdfs://x";
  EXPECT_FALSE(needs_log_folder(submission()));
  options_.logdir = "/data/../etc";
  EXPECT_TRUE(needs_log_folder(submission()));
}

TEST_F(ArenaObjectsTest, TensorBoardReadsWhatTheMasterWritesToItsNode) {
  options_.tensorboard = true;
  const std::vector<Json> objects = make_objects(submission());
  const Json board = *find(objects[2], "spec.template");
  EXPECT_EQ(to_text(*find(container(board), "command")),
            R"~(["tensorboard","--logdir","/output/training_logs","--host","$(POD_IP)"])~");
  const Json volume = array_at(board, "spec.volumes").at(0);
  EXPECT_EQ(string_at(volume, "hostPath.path"), "/arena_logs/training123456789");
  const Json master = pod(objects.back(), "Master");
  EXPECT_NE(to_text(master).find(R"("mountPath":"/training_logs")"), std::string::npos);
  EXPECT_EQ(string_at(objects[1], "spec.type"), "NodePort");
  embedded_ = false;
  EXPECT_EQ(
      to_text(*find(container(*find(make_objects(submission())[2], "spec.template")), "command")),
      R"(["tensorboard","--logdir","/output/training_logs","--host","0.0.0.0"])");
}

TEST_F(ArenaObjectsTest, TensorBoardFindsAnMpiJobsWorkerByWhatItsOperatorSays) {
  options_.tensorboard = true;
  const std::vector<Json> objects = make_objects(submission("mpijob"));
  const Json* near = find(objects[2], "spec.template.spec.affinity.podAffinity");
  ASSERT_NE(near, nullptr);
  const Json term = array_at(*near, "requiredDuringSchedulingIgnoredDuringExecution").at(0);
  EXPECT_EQ(to_text(*find(term, "labelSelector.matchLabels")),
            R"({"release":"mnist","training.kubeflow.org/job-role":"worker",)"
            R"("training.kubeflow.org/replica-index":"0"})");
}

TEST_F(ArenaObjectsTest, OneTensorFlowWorkerIsAChiefWithoutTfConfig) {
  const Json alone = job("tfjob");
  EXPECT_FALSE(pod(alone, "Chief").is_null());
  EXPECT_TRUE(pod(alone, "Worker").is_null());
  EXPECT_EQ(annotation_of(alone, "arena.kubeflow.org/disable-tf-config"), "true");
  options_.ps_count = 1;
  options_.gpus = 2;
  options_.worker.affinity_policy = "spread";
  const Json served = job("tfjob");
  EXPECT_TRUE(pod(served, "Chief").is_null());
  EXPECT_FALSE(pod(served, "PS").is_null());
  EXPECT_EQ(annotation_of(served, "requestGPUsOfJobOwner"), "2");
  EXPECT_NE(find(pod(served, "Worker"), "spec.affinity.podAntiAffinity"), nullptr);
  EXPECT_EQ(find(pod(served, "PS"), "spec.affinity"), nullptr);
  EXPECT_EQ(label_of(pod(served, "Worker"), "tf-replica-type"), "worker")
      << "what the affinity selects by";
}

TEST_F(ArenaObjectsTest, MpiLaunchersComeOnTopAndAskForNoGpu) {
  options_.workers = 2;
  options_.gpus = 4;
  options_.data = {"training-data:/data"};
  const Json made = job("mpijob");
  EXPECT_EQ(int_at(made, "spec.mpiReplicaSpecs.Worker.replicas"), 2);
  EXPECT_EQ(int_at(made, "spec.slotsPerWorker"), 4);
  EXPECT_EQ(int_at(made, "spec.runPolicy.backoffLimit", -1), 0) << "nobody asked for a retry";
  EXPECT_EQ(find(container(pod(made, "Launcher")), "resources"), nullptr);
  EXPECT_NE(find(container(pod(made, "Launcher")), "command"), nullptr);
  EXPECT_EQ(find(container(pod(made, "Worker")), "command"), nullptr);
  EXPECT_EQ(to_text(pod(made, "Launcher")).find("training-data"), std::string::npos);
  options_.mounts_on_launcher = true;
  EXPECT_NE(to_text(pod(job("mpijob"), "Launcher")).find("training-data"), std::string::npos);
}

TEST_F(ArenaObjectsTest, LifeTimesAndPoliciesGoToTheRunPolicy) {
  options_.clean_policy = "None";
  options_.retry = 3;
  options_.running_timeout = std::chrono::milliseconds(1500);
  options_.ttl = std::chrono::hours(1);
  EXPECT_EQ(to_text(*find(job(), "spec.runPolicy")),
            R"({"cleanPodPolicy":"None","backoffLimit":3,"activeDeadlineSeconds":1,)"
            R"("ttlSecondsAfterFinished":3600})");
}

TEST_F(ArenaObjectsTest, UsersLabelsDoNotHideTheJob) {
  options_.labels = {"app=mine", "team=vision"};
  options_.gang = true;
  const Json made = job();
  EXPECT_EQ(label_of(made, "app"), "pytorchjob");
  EXPECT_EQ(label_of(made, "team"), "vision");
  EXPECT_EQ(label_of(pod(made, "Master"), "pod-group.scheduling.sigs.k8s.io/name"),
            "pytorchjob-mnist");
}

}  // namespace
}  // namespace trainyard::cli::arena
