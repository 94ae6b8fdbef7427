#include "base/alarms.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trainyard {

Alarms::Alarm Alarms::set(TimePoint time, std::function<void()> due) {
  const Place place{time, ++last_number_};
  waiting_.emplace(place, std::move(due));
  if (waiting_.begin()->first == place) changed_.notify_all();
  return {*this, place};
}

awaitable<void> Alarms::run() {
  using namespace boost::asio::experimental::awaitable_operators;
  while (true) {
    while (!waiting_.empty() && waiting_.begin()->first.first <= clock_.now()) {
      const std::function<void()> due = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      due();
    }
    if (waiting_.empty()) {
      co_await changed_.wait();
    } else {
      const TimePoint next = waiting_.begin()->first.first;
      co_await (changed_.wait() || clock_.sleep_until(next));
    }
  }
}

}  // namespace trainyard
