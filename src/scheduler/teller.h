#pragma once

#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "scheduler/plan/placement.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace trainyard::scheduler {

/// Tells people what the scheduler has decided: conditions of pods and PodGroups, and events. Works
/// beside the scheduler, so that no placement waits for words. What changes all the time is written
/// every few seconds only.
class Teller final : public client::Reconciler {
 public:
  /// The informers' copies say what people have been told already.
  Teller(Executor loop, client::Api& api, Clock& clock, const client::Informer& pods,
         const client::Informer& groups);
  void start();
  awaitable<void> stop();

  /// All that waits now; what is not among it waits no longer.
  void set_waiting(std::vector<Waiting> waiting);
  void tell_placed(const Placed& placed);

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  struct Entry {
    Waiting waiting;
    TimePoint told_at;
    bool told = false;
  };
  struct Message {
    Kept about;
    std::string text;
  };

  awaitable<Result<>> tell_pod(Key key, Waiting::Cause cause, std::string text, bool with_event);
  awaitable<Result<>> tell_group(GangKey gang, Json condition, std::string phase);
  awaitable<Result<>> tell_waiting(GangKey gang);
  awaitable<void> write_messages();

  client::Api& api_;
  Clock& clock_;
  const client::Informer& pods_;
  const client::Informer& groups_;
  client::EventRecorder events_;
  client::Controller controller_;
  std::map<GangKey, Entry> waiting_;
  std::map<GangKey, std::size_t> placed_;  // gangs that were placed and not told of yet: how many
  std::deque<Message> messages_;           // events of placements that are to be written
  Notifier more_messages_;
  TaskGroup tasks_;
};

}  // namespace trainyard::scheduler
