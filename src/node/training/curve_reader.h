#pragma once

#include "base/clock.h"
#include "base/task_group.h"
#include "client/api.h"
#include "client/curves.h"
#include "monitor/progress/curve_progress.h"

#include <boost/asio/thread_pool.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::node {

/// Reads the event files on this machine's volumes, on threads of its own. What was read stays in
/// memory for a while, so that who asks again, as a page that is open does, makes it read only what
/// has grown. Folders that nobody has asked for lately, or that are too many, are forgotten.
class CurveReader final : public client::Curves {
 public:
  CurveReader(const Executor& loop, client::Api& api, Clock& clock);
  ~CurveReader() override;
  awaitable<Result<client::CurveAnswer>> tell(client::CurveQuestion question) override;
  /// How far the training has come that writes to these folders, by what it has written since then.
  /// What cannot be read says nothing.
  awaitable<std::optional<monitor::CurveProgress>> tell_progress(
      std::string ns, std::vector<contract::LogFolderSource> folders, WallTime since);
  awaitable<void> stop() { return tasks_.stop(); }
  /// Folders that are held in memory.
  std::size_t open_logs() const { return logs_.size(); }

 private:
  class Log;
  using Place = std::pair<std::string, std::string>;  // the volume's folder, the one below it

  std::shared_ptr<Log> log_of(const Place& place);
  void forget_surplus(const Log& kept);
  awaitable<void> forget_idle();

  client::Api& api_;
  Clock& clock_;
  boost::asio::thread_pool threads_{2};
  std::map<Place, std::shared_ptr<Log>> logs_;  // each with its place in the queue of the threads
  bool watching_ = false;                       // forget_idle() runs
  TaskGroup tasks_;
};

}  // namespace trainyard::node
