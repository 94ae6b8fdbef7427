// T9k's contract, section 3: the two shapes, and what mpirun is called with.
#include "jobs/mpi/mpi_spec.h"

#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using Words = std::vector<std::string>;

Json job_of(std::string_view spec) {
  Json job{{"metadata", {{"name", "hvd"}}}};
  job.get_object()["spec"] = *parse_json_or_yaml(spec);
  return job;
}

constexpr std::string_view kOlder = R"(
mca: {btl: ^openib}
mpiHome: /opt/mpi/
worker:
  replicas: 3
  cmd: [python, a.py]
  extraMPIArgs: [-N, '2']
  template: {spec: {containers: [{name: mpi-worker, image: i, workingDir: /data}]}}
)";
constexpr std::string_view kNewest = R"(
mpiConfig: {mca: {btl: ^openib}, home: /opt/mpi/, extraArgs: [-N, '2'], script: [python, a.py]}
replicaSpecs:
- {type: launcher, replicas: 1, template: {}}
- type: worker
  replicas: 3
  template: {spec: {containers: [{name: mpi-worker, image: i, workingDir: /data}]}}
)";

TEST(MpiSpec, BothShapesAreReadAlike) {
  const Json older = in_newest_shape(job_of(kOlder));
  EXPECT_TRUE(older == in_newest_shape(job_of(kNewest))) << to_text(older);
  const MpiRun run = read_mpi_run(older);
  EXPECT_EQ(run.home, "/opt/mpi");
  EXPECT_EQ(run.workers, 3);
  EXPECT_EQ(run.slots, 2);
  EXPECT_EQ(mpirun_arguments(run),
            (Words{"--hostfile", "/etc/mpi/hostfile", "-mca", "btl", "^openib", "-wdir", "/data",
                   "-N", "2", "python", "a.py"}));
}

TEST(MpiSpec, TheOlderPlacesOfParametersAndHomeAreReadInTheNewestShape) {
  const Json job = job_of(R"(
mca: {pml: ob1}
mpiHome: /usr
mpiConfig: {script: [a]}
replicaSpecs: [{type: worker, template: {spec: {containers: [{name: worker}]}}}]
)");
  const MpiRun run = read_mpi_run(in_newest_shape(job));
  EXPECT_EQ(run.home, "/usr");
  EXPECT_EQ(mpirun_arguments(run),
            (Words{"--hostfile", "/etc/mpi/hostfile", "-mca", "pml", "ob1", "a"}));
}

TEST(MpiSpec, ALauncherIsMadeOfTheWorkersImageWithLittleOfTheMachine) {
  const Json job = in_newest_shape(job_of(kOlder));
  const Json& launcher = array_at(job, "spec.replicaSpecs").at(0);
  EXPECT_EQ(string_at(launcher, "type"), "launcher");
  const Json& container = array_at(launcher, "template.spec.containers").at(0);
  EXPECT_EQ(string_at(container, "name"), "launcher");
  EXPECT_EQ(string_at(container, "image"), "i");
  EXPECT_EQ(string_at(container, "resources.requests.cpu"), "100m");
  EXPECT_EQ(string_at(container, "resources.limits.memory"), "200Mi");
}

TEST(MpiSpec, AWrittenLauncherIsKeptAsItIs) {
  const Json job = in_newest_shape(job_of(R"(
replicaSpecs:
- {type: worker, template: {spec: {containers: [{name: worker, image: i}]}}}
- {type: launcher, template: {spec: {containers: [{name: side}, {name: launcher, image: l}]}}}
)"));
  const JsonArray& containers =
      array_at(array_at(job, "spec.replicaSpecs").at(0), "template.spec.containers");
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(string_at(containers[1], "image"), "l");
  EXPECT_EQ(find(containers[1], "resources"), nullptr);
}

TEST(MpiSpec, SlotsAreTheNumberAfterNOrNpernode) {
  EXPECT_EQ(slots_in({"-N", "3"}), 3);
  EXPECT_EQ(slots_in({"--allow-run-as-root", "-npernode", "2"}), 2);
  EXPECT_EQ(slots_in({"--npernode", "4"}), 4);
  EXPECT_EQ(slots_in({}), 1);
  EXPECT_EQ(slots_in({"-N"}), 1);
  EXPECT_EQ(slots_in({"-N", "many"}), 1);
  EXPECT_EQ(slots_in({"-N", "-1"}), 1);
}

TEST(MpiSpec, PlainVariablesOfTheWorkerArePassedOnOnce) {
  const Json job = in_newest_shape(job_of(R"(
mpiConfig: {extraArgs: [-x, B, -x, C=3, -wdir, /elsewhere], script: [a]}
replicaSpecs:
- type: worker
  template:
    spec:
      containers:
      - name: worker
        workingDir: /data
        env: [{name: A, value: '1'}, {name: A, value: '2'}, {name: B, value: '1'}, {name: C},
              {name: OMPI_MCA_btl, value: tcp}, {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]
)"));
  EXPECT_EQ(mpirun_arguments(read_mpi_run(job)),
            (Words{"--hostfile", "/etc/mpi/hostfile", "-x", "A", "-x", "B", "-x", "C=3", "-wdir",
                   "/elsewhere", "a"}));
}

}  // namespace
}  // namespace trainyard::jobs
