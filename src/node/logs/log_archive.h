#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "base/files/files.h"
#include "client/pod_streams.h"
#include "node/config.h"
#include "object/json/json.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// A pod that is gone, and whose logs are kept.
struct KeptPod {
  std::string ns;
  std::string name;
  std::string uid;
  Json labels;
  std::string main;  // its only container that was no init container; empty: there were more
  WallTime kept;     // when it went
  std::int64_t bytes = 0;
  std::filesystem::path folder;  // CONTAINER/RUN/log in it
};

/// The logs of pods that are gone, each pod's in a folder of its own below DATA_DIR/logs. The
/// oldest go when they are too old or too many. Lives on the loop thread; looks at the disk when it
/// is first asked, and knows from then on. Files are removed elsewhere, since they can be
/// gigabytes; what is about to go is not told of any more.
class LogArchive {
 public:
  using Remove = std::function<Result<>(const std::filesystem::path& folder)>;

  /// `where` is a thread's, to remove folders on.
  LogArchive(Executor loop, Executor where, std::filesystem::path data_dir, Clock& clock,
             LogRetention retention, Remove remove = remove_folder)
      : loop_(std::move(loop)),
        where_(std::move(where)),
        paths_(std::move(data_dir)),
        clock_(clock),
        retention_(retention),
        remove_(std::move(remove)),
        self_(std::make_shared<LogArchive*>(this)) {}
  ~LogArchive() { *self_ = nullptr; }
  LogArchive(const LogArchive&) = delete;
  LogArchive& operator=(const LogArchive&) = delete;

  /// Notes whose folder it is, so that its logs can be kept after the pod object is gone, also by a
  /// later server.
  void remember(const Json& pod) const;
  /// Takes the logs out of the pod's folder. Nothing happens when there are none.
  void keep(const std::string& uid);
  /// Removes what is older than the retention says, and the oldest beyond its size. Tries again
  /// what could not be removed: it takes nothing from the others meanwhile.
  void prune();

  /// The newest pod of that name, but not the one with the uid `except`.
  std::optional<KeptPod> newest(const Key& pod, const std::string& except = "");
  std::optional<KeptPod> by_uid(const Key& pod, const std::string& uid);
  /// Of a namespace, oldest first.
  std::vector<KeptPod> list(const std::string& ns);

 private:
  using Folders = std::vector<std::filesystem::path>;

  void load();
  void add(const std::filesystem::path& folder);
  Folders take_surplus();
  void remove(Folders folders);
  void forget(const Folders& removed) const;

  Executor loop_;
  Executor where_;
  Paths paths_;
  Clock& clock_;
  LogRetention retention_;
  Remove remove_;
  bool loaded_ = false;
  std::vector<KeptPod> pods_;  // oldest first
  std::int64_t bytes_ = 0;
  Folders left_;                       // that could not be removed
  std::shared_ptr<LogArchive*> self_;  // what comes back to the loop: null once this is gone
};

/// The folder of a container's run in a kept pod: the newest, or the one before it with `previous`,
/// or number `run`. The container needs no name when there is only one beside init containers.
Result<std::filesystem::path> kept_run(const KeptPod& pod, const std::string& container,
                                       std::optional<int> run, bool previous);

}  // namespace trainyard::node
