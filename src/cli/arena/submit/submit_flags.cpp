#include "cli/arena/go_duration.h"
#include "cli/arena/submit/submit_options.h"

#include <fmt/format.h>

namespace trainyard::cli::arena {
namespace {

void add_time(FlagSet& flags, const std::string& name, std::chrono::nanoseconds& target,
              const std::string& help) {
  flags.custom(name, 0, "TIME", help, [&target, name](const std::string& value) -> Result<> {
    auto time = parse_go_duration(value);
    if (!time) return std::move(time).error().within("--" + name);
    target = *time;
    return Ok();
  });
}

void add_what_runs(FlagSet& flags, SubmitOptions& o) {
  flags.text("name", 0, o.name, "NAME", "the job's name").must_be_given();
  flags.text("image", 0, o.image, "IMAGE", "the image that the training runs in");
  flags
      .text("working-dir", 0, o.working_dir, "DIR",
            "where the command runs; code is below DIR/code")
      .once_called("workingDir");
  flags.text("shell", 0, o.shell, "SHELL", "what reads the command: sh, bash, …");
  flags.texts("env", 'e', o.env, "NAME=VALUE", "a variable of the training's environment");
  flags.texts("env-from-secret", 0, o.env_from_secret, "NAME=SECRET",
              "a variable whose value is the key NAME of a Secret");
}

void add_storage(FlagSet& flags, SubmitOptions& o) {
  flags.texts("data", 'd', o.data, "PVC:/PATH", "mount a volume (PersistentVolumeClaim) at a path")
      .offering(Offer::kClaim);
  flags.texts("data-dir", 0, o.data_dirs, "/HOST[:/PATH]", "mount a folder of the node")
      .once_called("dataDir");
  flags.texts("config-file", 0, o.config_files, "FILE[:/PATH]",
              "give the job a file of this machine, through a ConfigMap");
}

void add_placement(FlagSet& flags, SubmitOptions& o) {
  flags.number("gpus", 0, o.gpus, "N", "GPUs of each worker");
  flags.texts("device", 0, o.devices, "RESOURCE=N", "another device of each worker: amd.com/gpu=1");
  flags.texts("annotation", 'a', o.annotations, "KEY=VALUE",
              "an annotation of the job and its pods");
  flags.texts("label", 'l', o.labels, "KEY=VALUE", "a label of the job and its pods");
  flags.texts("selector", 0, o.selectors, "KEY=VALUE", "only nodes with this label");
  flags.texts("toleration", 0, o.tolerations, "TOLERATION",
              "also nodes with this taint: all, KEY or KEY=VALUE:EFFECT,OPERATOR");
  flags.text("priority", 'p', o.priority, "CLASS", "the PriorityClass of the pods");
  flags.toggle("gang", 0, o.gang, "start all pods together or none");
  flags.text("scheduler", 0, o.scheduler, "NAME", "the scheduler that places the pods");
  flags.toggle("queue", 0, o.queue, "wait until an external queue releases the job");
  flags.toggle("rdma", 0, o.rdma, "ask for RDMA (rdma/hca)");
  flags.toggle("hostNetwork", 0, o.host_network, "use the node's network").or_else("host-network");
  flags.toggle("hostIPC", 0, o.host_ipc, "use the node's IPC").or_else("host-ipc");
  flags.toggle("hostPID", 0, o.host_pid, "see the node's processes").or_else("host-pid");
  flags.texts("image-pull-secret", 0, o.pull_secrets, "SECRET", "for private registries")
      .once_called("imagePullSecrets");
  flags.text("image-pull-policy", 0, o.pull_policy, "POLICY", "Always, IfNotPresent or Never")
      .once_called("imagePullPolicy")
      .among({"Always", "IfNotPresent", "Never"});
}

void add_code_and_board(FlagSet& flags, SubmitOptions& o) {
  flags
      .text("sync-mode", 0, o.sync_mode, "MODE",
            "where code comes from: git, rsync, or upload (a folder of this machine)")
      .once_called("syncMode");
  flags
      .text("sync-source", 0, o.sync_source, "SOURCE",
            "the repository's address, rsync's source, or the folder")
      .once_called("syncSource");
  flags.text("sync-image", 0, o.sync_image, "IMAGE", "the image that fetches the code")
      .once_called("syncImage");
  flags
      .text("sync-volume", 0, o.sync_volume, "PVC",
            "the volume that uploads go through; made when missing")
      .offering(Offer::kClaim);
  flags.toggle("tensorboard", 0, o.tensorboard, "show the training's event files in TensorBoard");
  flags.text("tensorboard-image", 0, o.tensorboard_image, "IMAGE", "the image of TensorBoard")
      .once_called("tensorboardImage");
  flags.text("logdir", 0, o.logdir, "DIR", "the folder of the event files");
}

void add_end(FlagSet& flags, SubmitOptions& o) {
  flags
      .text("clean-task-policy", 0, o.clean_policy, "POLICY",
            "which pods are removed when the job is over: None, Running or All")
      .once_called("cleanTaskPolicy");
  flags.number("retry", 0, o.retry, "N", "start failed pods again so often");
  flags.text("model-name", 0, o.model_name, "NAME", "of a model registry; not supported here")
      .hide();
  flags.text("model-source", 0, o.model_source, "PLACE", "of a model registry").hide();
  flags.toggle("dry-run", 0, o.dry_run, "only print the objects that would be created");
  flags.text("output", 'o', o.output, "FORMAT", "of --dry-run: yaml or json")
      .among({"yaml", "json"});
}

void add_shared_memory(FlagSet& flags, SubmitOptions& o) {
  flags
      .text("share-memory", 0, o.share_memory, "SIZE",
            "the size of /dev/shm; \"\" for the container's own")
      .or_else("shared-memory");
}

void add_cpu_and_memory(FlagSet& flags, SubmitOptions& o) {
  flags.text("cpu", 0, o.cpu, "N", "cores of each pod, such as 2 or 500m");
  flags.text("memory", 0, o.memory, "SIZE", "memory of each pod, such as 4Gi");
}

void add_life_times(FlagSet& flags, SubmitOptions& o) {
  add_time(flags, "running-timeout", o.running_timeout, "the job fails when it runs longer");
  add_time(flags, "ttl-after-finished", o.ttl, "the job is deleted so long after its end");
}

/// "worker", "Worker": the second is how old spellings begin.
void add_role(FlagSet& flags, RoleOptions& role, const std::string& name, const std::string& old) {
  struct Amount {
    const char* flag;
    const char* old;
    std::string* target;
    const char* what;
  };
  const Amount amounts[] = {{"cpu", "Cpu", &role.cpu, "cores"},
                            {"cpu-limit", "CpuLimit", &role.cpu_limit, "the most cores"},
                            {"memory", "Memory", &role.memory, "memory"},
                            {"memory-limit", "MemoryLimit", &role.memory_limit, "the most memory"}};
  for (const Amount& amount : amounts) {
    flags
        .text(fmt::format("{}-{}", name, amount.flag), 0, *amount.target, "QUANTITY",
              fmt::format("{} of each {}", amount.what, name))
        .once_called(old + amount.old);
  }
  flags.texts(name + "-selector", 0, role.selectors, "KEY=VALUE",
              fmt::format("only nodes with this label, for {} (instead of --selector)", name));
}

void add_port(FlagSet& flags, RoleOptions& role, const std::string& name) {
  flags
      .number(name + "-port", 0, role.port, "PORT",
              fmt::format("where {} listens; 0: one that is free", name))
      .once_called(name + "Port");
}

void add_affinity(FlagSet& flags, RoleOptions& role, const std::string& name) {
  flags
      .text(name + "-affinity-policy", 0, role.affinity_policy, "POLICY",
            fmt::format("none, or pods of {} spread over nodes or binpack'ed on few", name))
      .among({"none", "spread", "binpack"});
  flags
      .text(name + "-affinity-constraint", 0, role.affinity_constraint, "WORD",
            "whether that is preferred or required")
      .among({"preferred", "required"});
}

}  // namespace

void add_pytorch_flags(FlagSet& flags, SubmitOptions& o) {
  add_what_runs(flags, o);
  flags.text("worker-image", 0, o.worker.image, "IMAGE", "another image for the workers");
  flags.number("workers", 0, o.workers, "N", "how many pods, the master among them");
  add_cpu_and_memory(flags, o);
  add_placement(flags, o);
  add_shared_memory(flags, o);
  add_storage(flags, o);
  add_code_and_board(flags, o);
  add_end(flags, o);
  add_life_times(flags, o);
  flags.text("nproc-per-node", 0, o.nproc_per_node, "N",
             "processes of each pod under torchrun: auto, cpu, gpu or a number");
}

void add_mpi_flags(FlagSet& flags, SubmitOptions& o) {
  o.clean_policy = "All";
  add_what_runs(flags, o);
  flags.number("workers", 0, o.workers, "N", "how many workers; the launcher comes on top");
  add_cpu_and_memory(flags, o);
  add_placement(flags, o);
  flags.toggle("gputopology", 0, o.gpu_topology, "place GPUs by their topology");
  flags.toggle("mounts-on-launcher", 0, o.mounts_on_launcher,
               "the launcher mounts the volumes, too");
  add_storage(flags, o);
  add_code_and_board(flags, o);
  add_end(flags, o);
}

void add_tensorflow_flags(FlagSet& flags, SubmitOptions& o) {
  add_what_runs(flags, o);
  flags.number("workers", 0, o.workers, "N", "how many workers");
  flags
      .text("worker-image", 0, o.worker.image, "IMAGE",
            "another image for workers, chief and evaluator")
      .once_called("workerImage");
  flags.number("ps", 0, o.ps_count, "N", "how many parameter servers");
  flags.text("ps-image", 0, o.ps.image, "IMAGE", "another image for parameter servers")
      .once_called("psImage");
  flags.number("ps-gpus", 0, o.ps_gpus, "N", "GPUs of each parameter server");
  flags.toggle("chief", 0, o.has_chief, "a chief besides the workers");
  flags.toggle("evaluator", 0, o.has_evaluator, "an evaluator besides the workers");
  add_role(flags, o.worker, "worker", "worker");
  add_role(flags, o.ps, "ps", "ps");
  add_role(flags, o.chief, "chief", "Chief");
  add_role(flags, o.evaluator, "evaluator", "evaluator");
  add_port(flags, o.worker, "worker");
  add_port(flags, o.ps, "ps");
  add_port(flags, o.chief, "chief");
  add_affinity(flags, o.worker, "worker");
  add_affinity(flags, o.ps, "ps");
  flags.text("role-sequence", 0, o.role_sequence, "ROLES",
             "the order in which roles are started: Worker,PS,Chief,Evaluator or w,p,c,e");
  flags.text("success-policy", 0, o.success_policy, "POLICY",
             "when the job has succeeded: ChiefWorker or AllWorkers");
  add_placement(flags, o);
  add_shared_memory(flags, o);
  add_storage(flags, o);
  add_code_and_board(flags, o);
  add_end(flags, o);
  add_life_times(flags, o);
  add_time(flags, "starting-timeout", o.starting_timeout, "for older operators; not used");
}

}  // namespace trainyard::cli::arena
