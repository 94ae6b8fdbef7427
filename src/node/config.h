#pragma once

#include "node/activity_limits.h"
#include "node/node_spec.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::node {

/// How much of a container's log is kept while its pod is there.
struct LogSizes {
  std::int64_t segment = 64 << 20;              // bytes of one file of it
  std::int64_t limit = std::int64_t{10} << 30;  // of all; beyond that the oldest go. 0: no limit
};

/// How long the logs of pods that are gone are kept.
struct LogRetention {
  std::chrono::hours age{24 * 14};
  std::int64_t bytes = std::int64_t{10} << 30;  // of all together
};

/// How long it is kept what pods that have ended have used.
struct UsageRetention {
  std::chrono::hours age{24 * 30};
  std::int64_t bytes = std::int64_t{1} << 30;  // of all together
};

/// What a node is told when it starts.
struct NodeConfig {
  std::vector<NodeSpec> nodes{NodeSpec()};  // that this machine presents
  std::filesystem::path data_dir;           // pods/ and volumes/ are made below it
  std::filesystem::path shim;               // the shim's binary
  int life = -1;                            // what every shim has open (port_keeper.h)
  std::string path;                         // PATH of the containers, unless they set their own
  std::string home;
  LogSizes log;
  LogRetention kept_logs;
  UsageRetention kept_usage;
  ActivityLimits activity;  // of pods that do not say otherwise
  std::string api_host;     // where clients in pods find the API; empty: they are not told
  std::uint16_t api_port = 0;
  bool strict_images = false;  // an image that is not mapped is an error
  bool fake_runtime = false;   // pods are only said to run (fake_runtime.h)
};

/// Where things lie on disk. The only place that joins these paths.
///
///   DATA_DIR/tools/                            programs for environments that lack them
///   DATA_DIR/volumes/NS/                       its group: namespace_groups.h
///   DATA_DIR/volumes/NS/CLAIM/                 a PersistentVolumeClaim's files
///   DATA_DIR/volumes/.removed/VOLUME/          those of a deleted one, while they are removed
///   DATA_DIR/ready/N/                          what will be a container's folder (ready_runs.h)
///   DATA_DIR/ready-pods/pods/N/                what will be a pod's folder (ready_folders.h)
///   DATA_DIR/logs/NS/POD/UID/                  the logs of a pod that is gone
///   DATA_DIR/usage/UID.{series,about}          what a pod has used, and whose that is
///   DATA_DIR/pods/UID/pod                      whose folder this is
///   DATA_DIR/pods/UID/hosts                    the pod's /etc/hosts
///   DATA_DIR/pods/UID/volumes/NAME/            its emptyDirs, and the files of its
///                                              ConfigMaps, Secrets and tokens
///   DATA_DIR/pods/UID/containers/NAME/N/       run N of container NAME: the shim's folder
///   DATA_DIR/pods/UID/containers/NAME/tmp/     its /tmp
///   DATA_DIR/pods/UID/containers/NAME/overlay/{upper,work,root}/
class Paths {
 public:
  explicit Paths(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}
  const std::filesystem::path& data_dir() const { return data_dir_; }
  std::filesystem::path tools() const { return data_dir_ / "tools"; }
  std::filesystem::path pods() const { return data_dir_ / "pods"; }
  std::filesystem::path pod(const std::string& uid) const { return pods() / uid; }
  std::filesystem::path identity(const std::string& uid) const { return pod(uid) / "pod"; }
  std::filesystem::path ready() const { return data_dir_ / "ready"; }
  std::filesystem::path ready_pods() const { return data_dir_ / "ready-pods"; }
  std::filesystem::path logs() const { return data_dir_ / "logs"; }
  std::filesystem::path usage() const { return data_dir_ / "usage"; }
  std::filesystem::path kept_pod(const std::string& ns, const std::string& name,
                                 const std::string& uid) const {
    return logs() / ns / name / uid;
  }
  std::filesystem::path hosts(const std::string& uid) const { return pod(uid) / "hosts"; }
  std::filesystem::path pod_volumes(const std::string& uid) const { return pod(uid) / "volumes"; }
  std::filesystem::path pod_volume(const std::string& uid, const std::string& name) const {
    return pod_volumes(uid) / name;
  }
  std::filesystem::path containers(const std::string& uid) const { return pod(uid) / "containers"; }
  std::filesystem::path container(const std::string& uid, const std::string& name) const {
    return containers(uid) / name;
  }
  std::filesystem::path run(const std::string& uid, const std::string& name, int number) const {
    return container(uid, name) / std::to_string(number);
  }
  std::filesystem::path volumes() const { return data_dir_ / "volumes"; }
  std::filesystem::path claim(const std::string& ns, const std::string& name) const {
    return volumes() / ns / name;
  }
  std::filesystem::path removed_claim(const std::string& volume) const {
    return volumes() / ".removed" / volume;
  }

 private:
  std::filesystem::path data_dir_;
};

}  // namespace trainyard::node
