#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "base/notifier.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace trainyard {

/// Wakes many who wait for a time of their own, and for something else besides, with one sleeper: a
/// coroutine that waits for either of two things takes kilobytes while it does. Belongs to the loop
/// thread.
class Alarms {
  using Place = std::pair<TimePoint, std::uint64_t>;  // numbered, since times may be the same

 public:
  Alarms(const Executor& loop, Clock& clock) : clock_(clock), changed_(loop) {}

  /// Calls nobody once it is gone. Must not outlive the Alarms.
  class Alarm {
   public:
    Alarm() = default;
    Alarm(Alarm&& other) noexcept
        : alarms_(std::exchange(other.alarms_, nullptr)), place_(other.place_) {}
    Alarm& operator=(Alarm&&) = delete;
    ~Alarm() {
      if (alarms_ != nullptr) alarms_->waiting_.erase(place_);
    }

   private:
    friend Alarms;
    Alarm(Alarms& alarms, Place place) : alarms_(&alarms), place_(place) {}
    Alarms* alarms_ = nullptr;
    Place place_;
  };

  /// `due` is called once, at that time, by run().
  [[nodiscard]] Alarm set(TimePoint time, std::function<void()> due);
  std::size_t size() const { return waiting_.size(); }

  awaitable<void> run();

 private:
  Clock& clock_;
  std::map<Place, std::function<void()>> waiting_;
  std::uint64_t last_number_ = 0;
  Notifier changed_;  // somebody waits for less long than all others
};

}  // namespace trainyard
