#pragma once

#include "base/task_group.h"
#include "cli/context.h"

#include <map>
#include <string>

namespace trainyard::cli {

/// Prints the logs of a job's replicas as they come, until the job has finished. Outlives restarts
/// of replicas and of the server: after a break it goes on at the byte where it stopped.
class JobFollower {
 public:
  JobFollower(Session& session, Key job);
  /// The finished job. kNotFound when it was deleted meanwhile.
  awaitable<Result<ObjectPtr>> run();

 private:
  awaitable<Result<ObjectPtr>> wait_finished();
  awaitable<Result<ObjectPtr>> watch_job(int& failures);
  awaitable<void> start_new_logs();
  /// A pod of the job, as long as it is followed.
  struct Followed {
    Key pod;
    std::string uid;
    std::string prefix;
    int run = 0;
    std::int64_t printed = 0;  // bytes of that run
  };
  awaitable<void> print_logs(Followed followed);
  awaitable<bool> print_run(Followed& followed);
  awaitable<Result<>> print_run_on(Followed& followed);
  awaitable<bool> wait_next_run(const Followed& followed);
  void print(const std::string& prefix, std::string_view text);

  Session& session_;
  Key job_;
  std::map<std::string, bool> logs_;  // pod uid → its log was printed to the end
  std::map<std::string, bool> in_line_;
  std::int64_t printed_ = 0;  // bytes in all
  TaskGroup tasks_;
};

}  // namespace trainyard::cli
