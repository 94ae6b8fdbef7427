#pragma once

#include "base/task_group.h"
#include "cli/command/jobs_view.h"
#include "cli/logs/log_lines.h"

#include <map>
#include <optional>
#include <string>

namespace trainyard::cli {

struct FollowOptions {
  std::string replica;  // only this one, or those of this type; empty: all
  bool timestamps = false;
  std::optional<std::int64_t> tail;  // lines of what was written before
  std::optional<WallTime> since;
  bool every_end = false;   // wait for all replicas, also when the job is over before they are
  std::string container{};  // empty: the only one, or the server's choice
};

/// Prints the logs of a job's replicas as they come, until the job has finished. Outlives restarts
/// of replicas and of the server: after a break it goes on at the byte where it stopped.
class JobFollower {
 public:
  JobFollower(Session& session, FoundJob job, FollowOptions options);
  /// The finished job. kNotFound when it was deleted meanwhile.
  awaitable<Result<ObjectPtr>> run();

 private:
  /// A pod of the job, as long as it is followed.
  struct Followed {
    Key pod;
    std::string uid;
    std::string replica;
    bool old = false;  // it ran before it was followed, and only its last lines are wanted
    int run = 0;
    std::int64_t printed = 0;  // bytes of that run
  };
  awaitable<Result<ObjectPtr>> wait_finished();
  awaitable<Result<ObjectPtr>> watch_job(int& failures);
  awaitable<void> drain();
  awaitable<void> tell_what_it_waits_for();
  awaitable<void> start_new_logs();
  void start_log(const Json& pod);
  awaitable<void> print_logs(Followed followed);
  awaitable<bool> print_run(Followed& followed);
  awaitable<Result<>> print_run_on(Followed& followed);
  awaitable<Result<>> print_tail(Followed& followed, std::int64_t lines);
  awaitable<bool> wait_next_run(const Followed& followed);
  client::LogOptions log_options(const Followed& followed) const;
  void print(const std::string& text);

  Session& session_;
  FoundJob job_;
  FollowOptions options_;
  LineTagger tagger_;
  std::map<std::string, bool> logs_;     // pod uid → its log was printed to the end
  std::map<std::string, int> attempts_;  // of each replica that was followed
  bool first_look_ = true;
  bool some_run_ = false;     // pods have not ended yet
  std::int64_t printed_ = 0;  // bytes in all
  TaskGroup tasks_;
};

/// `worker-0`, `worker-1` … of all groups, in the order of ranks.
std::vector<std::string> replica_names(const Json& job);

}  // namespace trainyard::cli
