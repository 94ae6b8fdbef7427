// What the pods of Kubeflow's MPIJob are made of.
#include "jobs/engine/form/names.h"
#include "jobs/kubeflow/test_kubeflow.h"
#include "object/values/status.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

World settled(World world) {
  EXPECT_TRUE(world.settle());
  return world;
}

const Json& launcher_of(const World& world) {
  return world.pods.at("mnist-launcher");
}

const Json& container_of(const Json& pod) {
  return array_at(pod, "spec.containers").at(0);
}

/// The variables of a container by name.
std::map<std::string, std::string> variables(const Json& container) {
  std::map<std::string, std::string> found;
  for (const Json& one : array_at(container, "env")) {
    found[std::string(string_at(one, "name"))] = string_at(one, "value");
  }
  return found;
}

std::string file(const World& world, const std::string& name) {
  const Json files = world.plan().create_support.at(0).object;
  return std::string(object_at(files, "data").at(name).as_string());
}

TEST(KubeflowMpiJob, PodsAreCalledAsTheOperatorCallsThem) {
  const World world = settled(mpi_job());
  ASSERT_EQ(world.pods.size(), 3U);
  const Json& launcher = launcher_of(world);
  EXPECT_EQ(string_at(launcher, "spec.hostname"), "mnist-launcher");
  EXPECT_EQ(string_at(launcher, "spec.subdomain"), "mnist");
  EXPECT_EQ(string_at(launcher, "spec.restartPolicy"), "OnFailure");
  const Json& worker = world.pods.at("mnist-worker-1");
  EXPECT_EQ(string_at(worker, "spec.hostname"), "mnist-worker-1");
  EXPECT_EQ(string_at(worker, "spec.restartPolicy"), "Never");
  EXPECT_EQ(world.services, std::set<std::string>{"mnist"});
  EXPECT_EQ(world.group_members, 3);
}

TEST(KubeflowMpiJob, LabelsAreThoseOfAllItsOperators) {
  const World world = settled(mpi_job());
  const Json& worker = world.pods.at("mnist-worker-1");
  EXPECT_EQ(label_of(worker, "training.kubeflow.org/operator-name"), "mpi-operator");
  EXPECT_EQ(label_of(worker, "training.kubeflow.org/job-name"), "mnist");
  EXPECT_EQ(label_of(worker, "training.kubeflow.org/job-role"), "worker");
  EXPECT_EQ(label_of(worker, "training.kubeflow.org/replica-index"), "1");
  EXPECT_EQ(label_of(worker, "mpi_job_name"), "mnist");
  EXPECT_EQ(label_of(worker, "mpi_role_type"), "worker");
  EXPECT_EQ(label_of(launcher_of(world), "training.kubeflow.org/job-role"), "launcher");
  EXPECT_EQ(label_of(launcher_of(world), "mpi-job-role"), "launcher");
}

TEST(KubeflowMpiJob, TheLaunchersCommandIsTheUsersOwn) {
  const World world = settled(mpi_job("{}", "slotsPerWorker: 4\n"));
  const Json& container = container_of(launcher_of(world));
  EXPECT_EQ(to_text(*find(container, "command")), R"(["mpirun","-n","2","pi"])");
  auto env = variables(container);
  EXPECT_EQ(env["K_MPI_JOB_ROLE"], "launcher");
  EXPECT_EQ(env["OMPI_MCA_orte_default_hostfile"], "/etc/mpi/hostfile");
  EXPECT_EQ(env["OMPI_MCA_orte_keep_fqdn_hostnames"], "true");
  EXPECT_EQ(env["OMPI_MCA_plm_rsh_args"], "-o ConnectionAttempts=10");
  EXPECT_EQ(env["OMPI_MCA_orte_set_default_slots"], "4");
  EXPECT_EQ(env["OMPI_MCA_mca_base_param_files"], "/etc/mpi-run/mca-params.conf");
  EXPECT_EQ(env["OMPI_ALLOW_RUN_AS_ROOT"], "1");
  EXPECT_TRUE(env.contains("NVIDIA_VISIBLE_DEVICES"));
  EXPECT_FALSE(env.contains("MPI_INTERFACES"));
  const Json& gate = array_at(launcher_of(world), "spec.initContainers").at(0);
  EXPECT_EQ(string_at(gate, "name"), kPreflightContainer);
}

TEST(KubeflowMpiJob, WorkersAreSshdsUnlessTheyAreToldOtherwise) {
  const auto command = [](const char* worker) {
    const World world = settled(mpi_job("{}", "", "command: [mpirun]", worker));
    return to_text(*find(container_of(world.pods.at("mnist-worker-0")), "command"));
  };
  EXPECT_EQ(command("name: w"), R"(["/bin/sh","/etc/mpi/worker.sh","29500"])");
  EXPECT_EQ(
      command("name: w, command: [/usr/sbin/sshd], args: [-De, -f, /home/mpiuser/.sshd_config]"),
      R"(["/bin/sh","/etc/mpi/worker.sh","29500","/usr/sbin/sshd"])");
  EXPECT_EQ(command("name: w, command: [sleep, inf]"), R"(["sleep","inf"])");
  const World own = settled(mpi_job("{}", "", "command: [mpirun]", "name: w, command: [serve]"));
  const Json& gate = array_at(launcher_of(own), "spec.initContainers").at(0);
  EXPECT_EQ(variables(gate)["MPI_WORKERS"], "own") << "there is no sshd to wait for";
}

TEST(KubeflowMpiJob, TheHostfileIsInItsConfigMapAndTheKeysInItsSecret) {
  const World world = mpi_job("{}", "slotsPerWorker: 2\n");
  const JobPlan plan = world.plan();
  ASSERT_GE(plan.create_support.size(), 2U);
  EXPECT_EQ(name_of(plan.create_support[0].object), "mnist-config");
  EXPECT_EQ(name_of(plan.create_support[1].object), "mnist-ssh");
  EXPECT_EQ(file(world, "hostfile"),
            "mnist-worker-0.mnist.demo.svc slots=2\nmnist-worker-1.mnist.demo.svc slots=2\n");
  EXPECT_EQ(file(world, "workers"),
            "mnist-worker-0.mnist.demo.svc mnist-worker-0 w\n"
            "mnist-worker-1.mnist.demo.svc mnist-worker-1 w\n");
  EXPECT_NE(file(world, "discover_hosts.sh").find("mnist-worker-1.mnist.demo.svc"),
            std::string::npos);
}

TEST(KubeflowMpiJob, ALauncherThatWorksIsTheFirstHost) {
  const World world = mpi_job("{}", "runLauncherAsWorker: true\n");
  EXPECT_TRUE(file(world, "hostfile").starts_with("mnist-launcher slots=1\nmnist-worker-0."));
  EXPECT_FALSE(file(world, "workers").starts_with("mnist-launcher")) << "nothing probes itself";
  const World made = settled(world);
  EXPECT_EQ(label_of(launcher_of(made), "training.kubeflow.org/replica-index"), "0");
  EXPECT_EQ(label_of(made.pods.at("mnist-worker-0"), "training.kubeflow.org/replica-index"), "1");
  EXPECT_FALSE(variables(container_of(launcher_of(made))).contains("NVIDIA_VISIBLE_DEVICES"));
}

TEST(KubeflowMpiJob, OtherImplementationsAreToldInTheirWordsAndAnEventSaysSo) {
  const World mpich = settled(mpi_job("{}", "mpiImplementation: MPICH\n"));
  EXPECT_EQ(variables(container_of(launcher_of(mpich)))["HYDRA_HOST_FILE"], "/etc/mpi/hostfile");
  EXPECT_EQ(mpich.told("NotFollowed").size(), 1U);
  const World intel = mpi_job("{}", "mpiImplementation: Intel\nslotsPerWorker: 3\n");
  EXPECT_TRUE(file(intel, "hostfile").starts_with("mnist-worker-0.mnist.demo.svc:3\n"));
  auto env = variables(container_of(launcher_of(settled(intel))));
  EXPECT_EQ(env["I_MPI_HYDRA_HOST_FILE"], "/etc/mpi/hostfile");
  EXPECT_EQ(env["I_MPI_PERHOST"], "3");
  EXPECT_FALSE(env.contains("OMPI_MCA_orte_default_hostfile"));
}

TEST(KubeflowMpiJob, ForAnotherUserTheKeysAreReadableAndCopied) {
  const World world = settled(mpi_job("{}", "sshAuthMountPath: /home/mpiuser/.ssh\n",
                                      "securityContext: {runAsUser: 1000}"));
  const Json& launcher = launcher_of(world);
  const Json& gate = array_at(launcher, "spec.initContainers").at(0);
  EXPECT_EQ(int_at(gate, "securityContext.runAsUser"), 1000);
  EXPECT_EQ(variables(gate)["MPI_KEY"], "/home/mpiuser/.ssh/id_rsa");
  for (const Json& volume : array_at(launcher, "spec.volumes")) {
    if (string_at(volume, "name") != "mpi-keys") continue;
    const Json& secret = array_at(volume, "projected.sources").at(0);
    EXPECT_EQ(int_at(array_at(secret, "secret.items").at(0), "mode"), 0644);
  }
  const World usual = settled(mpi_job());
  EXPECT_FALSE(variables(container_of(launcher_of(usual))).contains("MPI_KEY"));
}

TEST(KubeflowMpiJob, WhoNamesInterfacesIsNotToldOfOthers) {
  const World world =
      settled(mpi_job("{}", "", "command: [sh, -c, 'mpirun -mca btl_tcp_if_exclude docker0 pi']"));
  EXPECT_EQ(variables(container_of(launcher_of(world)))["MPI_INTERFACES"], "_tcp_if_");
}

TEST(KubeflowMpiJob, ALauncherMayWaitForItsWorkersToBeReady) {
  World world = settled(mpi_job("{}", "launcherCreationPolicy: WaitForWorkersReady\n"));
  EXPECT_EQ(world.pods.size(), 2U);
  EXPECT_EQ(world.group_members, 2) << "the gang must not wait for who waits for it";
  world.set_all_phases("Running");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 2U);
  EXPECT_EQ(holding(world), "Created");
  for (auto& [name, pod] : world.pods) {
    make_path(pod, "status.conditions") = JsonArray{{{"type", "Ready"}, {"status", "True"}}};
  }
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.contains("mnist-launcher"));
}

TEST(KubeflowMpiJob, WithoutWorkersTheLauncherIsAllThereIs) {
  World world = mpi_job();
  make_path(world.job, "spec.mpiReplicaSpecs").get_object().erase("Worker");
  EXPECT_EQ(file(world, "hostfile"), "");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 1U);
}

}  // namespace
}  // namespace trainyard::jobs
