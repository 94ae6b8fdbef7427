#include "node/run/run_preparation.h"

#include "node/limits/capabilities.h"
#include "node/run/environment.h"
#include "node/limits/gpus.h"
#include "node/volumes/mounts.h"
#include "node/network/network_places.h"
#include "node/images/python_site.h"
#include "node/run/run_image.h"
#include "node/volumes/volume_sources.h"

#include <fmt/format.h>

#include <array>
#include <unistd.h>

namespace trainyard::node {
namespace {

/// Before all else, as users of Kubernetes know it: volumes that cannot be had come first.
Result<> check_files(const RunContext& context, RunSpec& /*spec*/) {
  return context.files.state();
}

Result<> check_given_gpus(const RunContext& context, RunSpec& /*spec*/) {
  return check_gpus(context.pod, context.container);
}

Result<> fill_identity(const RunContext& context, RunSpec& spec) {
  TRY(const std::optional<ImageUsers> users, read_image_users(spec));
  TRY(spec.identity, make_identity(context.pod, context.container, context.facts, ::geteuid(),
                                   users, context.claims.group_of(context.facts.ns)));
  // The shim refuses it, as it does runAsUser; who has not written that looks for another cause.
  if (users && !users->wanted.empty() && ::geteuid() != 0 &&
      spec.identity.uid.value_or(::geteuid()) != ::geteuid()) {
    spec.warnings.push_back(fmt::format(
        "its image wants to run as user \"{}\", which needs a server that runs as root; "
        "securityContext.runAsUser: {} runs it as the server's user",
        users->wanted, ::geteuid()));
  }
  static const Json kNothing;
  const Json* wanted = find(context.container, "securityContext");
  const Capabilities capabilities = make_capabilities(
      wanted == nullptr ? kNothing : *wanted,
      has_private_network(context.pod) ? PodNetwork::kItsOwn : PodNetwork::kOfTheMachine);
  spec.capabilities = capabilities.mask;
  spec.read_only_root = bool_at(context.container, "securityContext.readOnlyRootFilesystem");
  for (const std::string& name : capabilities.refused) {
    spec.warnings.push_back(
        fmt::format("capability {} is not given: with it the container could be left", name));
  }
  if (bool_at(context.container, "securityContext.privileged")) {
    spec.warnings.emplace_back("privileged is not supported: it runs with the rights of any other");
  }
  return Ok();
}

Result<> fill_environment(const RunContext& context, RunSpec& spec) {
  ImageEnvironment image = fill_image(context, spec);
  const auto find_config = [&](ConfigKind kind, const std::string& name) {
    return context.configs.find(kind, Key{context.facts.ns, name});
  };
  const Capacity capacity = capacity_of(
      node_named(context.config.nodes, string_at(context.pod, "spec.nodeName")), context.machine);
  TRY(spec.environment,
      make_environment({context.pod, context.container, context.facts, context.config, capacity,
                        find_config, std::move(image.home), std::move(image.variables)}));
  show_python_site(spec.environment);
  return Ok();
}

Result<> fill_command(const RunContext& context, RunSpec& spec) {
  TRY(spec.command, make_command(context.container, spec.environment, spec.image));
  const contract::ImageConfig own = spec.image ? spec.image->config : contract::ImageConfig();
  spec.working_dir =
      string_at(context.container, "workingDir", own.working_dir.empty() ? "/" : own.working_dir);
  // As container runtimes do. On the host it is a typing error nearly always.
  spec.make_working_dir = !spec.root_tree.empty();
  return Ok();
}

Result<> fill_mounts(const RunContext& context, RunSpec& spec) {
  const auto find_claim = [&](const std::string& claim) {
    return context.claims.find(context.facts.ns, claim);
  };
  TRY(std::vector<Mount> mounts,
      plan_mounts(context.pod, context.container, context.paths, find_claim, spec.environment,
                  ::geteuid() == 0 ? SharedMemory::kYes : SharedMemory::kNo));
  for (Mount& mount : mounts) {
    TRY_OK(check_host_path(mount));
    if (mount.in_memory && mount.make_source && ::geteuid() != 0) {
      spec.warnings.push_back(fmt::format(
          "volume {} is on disk, not in memory: containers can share memory only where the server "
          "runs as root",
          mount.volume));
    }
    spec.mounts.push_back(std::move(mount));
  }
  if (context.files.gives_account() && !mounts_account(context.container)) {
    Mount account;
    account.source = context.paths.pod_volume(context.facts.uid, kAccountVolume);
    account.target = kAccountPath;
    account.read_only = true;
    spec.mounts.push_back(std::move(account));
  }
  return Ok();
}

Result<> fill_place(const RunContext& context, RunSpec& spec) {
  const std::string name(string_at(context.container, "name"));
  spec.hostname = string_at(context.pod, "spec.hostname", context.facts.name).substr(0, 63);
  spec.masks = hidden_folders(context.config);
  spec.own_devices = true;
  spec.own_network = has_private_network(context.pod);
  spec.overlay = context.paths.container(context.facts.uid, name) / "overlay";
  spec.grace_seconds = int_at(context.pod, "spec.terminationGracePeriodSeconds", 30);
  spec.termination_log =
      string_at(context.container, "terminationMessagePath", "/dev/termination-log");
  spec.input = bool_at(context.container, "stdin");
  spec.input_once = bool_at(context.container, "stdinOnce");
  spec.tty = bool_at(context.container, "tty");
  spec.log = context.config.log;
  return Ok();
}

struct Concern {
  Result<> (*fill)(const RunContext&, RunSpec&);
  const char* reason;
  const char* event;
};

// In this order: what comes later may use what came before.
constexpr std::array kConcerns = {
    Concern{check_files, "ContainerCreating", "FailedMount"},
    Concern{check_given_gpus, "ContainerCreating", "WaitsForGpus"},
    Concern{check_image, "ErrImagePull", "Failed"},
    Concern{fill_identity, "CreateContainerConfigError", "Failed"},
    Concern{fill_environment, "CreateContainerConfigError", "Failed"},
    Concern{fill_command, "CreateContainerError", "Failed"},
    Concern{fill_mounts, "ContainerCreating", "FailedMount"},
    Concern{fill_place, "CreateContainerError", "Failed"},
};

}  // namespace

std::vector<std::filesystem::path> hidden_folders(const NodeConfig& config) {
  std::vector<std::filesystem::path> hidden{config.data_dir};
  // With the keys of the server's user a job could go to other machines as that user.
  const std::filesystem::path keys = std::filesystem::path(config.home) / ".ssh";
  if (::access((keys / ".").c_str(), X_OK) == 0) hidden.push_back(keys);
  return hidden;
}

std::optional<Obstacle> prepare_run(const RunContext& context, RunSpec& spec) {
  for (const Concern& concern : kConcerns) {
    if (auto filled = concern.fill(context, spec); !filled) {
      return Obstacle{concern.reason, concern.event, std::move(filled).error()};
    }
  }
  return std::nullopt;
}

}  // namespace trainyard::node
