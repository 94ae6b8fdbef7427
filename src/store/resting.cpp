#include "store/resting.h"

#include "object/json/tree_count.h"
#include "store/collection.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace trainyard::store {
namespace {

using namespace std::chrono_literals;

/// Whoever follows a change has looked by then; what is looked at later is read again, which takes
/// a few microseconds.
constexpr auto kPause = 250ms;
/// Objects that are asked before others get their turn.
constexpr std::size_t kAtOnce = 2048;
/// In the first round an object hears that it is not to be looked at, in the second it rests.
constexpr int kRounds = 2;
/// Trees that may come together before all objects are asked at once, whether they were looked at
/// or not: some 5 MB of a storm of pods.
constexpr std::uint64_t kMany = 500;

}  // namespace

struct Resting::Timer {
  explicit Timer(const Executor& loop) : alarm(loop) {}
  boost::asio::steady_timer alarm;
};

Resting::Resting(const Executor& loop, const Collections& collections)
    : collections_(collections), timer_(std::make_shared<Timer>(loop)) {}

Resting::~Resting() = default;

void Resting::soon() {
  rounds_ = kRounds;
  if (trees_made() - trees_at_last_round_ > kMany) ask_all_now();
  if (std::exchange(under_way_, true)) return;
  timer_->alarm.expires_after(kPause);
  wait();
}

void Resting::wait() {
  timer_->alarm.async_wait(
      [this, alive = std::weak_ptr(timer_)](const boost::system::error_code& failed) {
        if (!failed && !alive.expired()) ask_some();
      });
}

void Resting::ask_some() {
  auto collection = collections_.lower_bound(collection_);
  if (collection == collections_.end()) {
    return end_round();
  }
  // A collection that went meanwhile leaves its place to the next one.
  if (collection->first != collection_) after_ = {};
  after_ = collection->second->rest(after_, kAtOnce);
  collection_ = collection->first;
  if (after_ == Key{}) collection_ += '\0';  // on to the next one
  timer_->alarm.expires_after(0ms);
  wait();
}

void Resting::end_round() {
  collection_.clear();
  after_ = {};
  under_way_ = --rounds_ > 0;
  if (under_way_) {
    timer_->alarm.expires_after(kPause);
    return wait();
  }
}

/// Not from within the work of whoever has written.
void Resting::ask_all_now() {
  if (std::exchange(is_asking_all_, true)) return;
  boost::asio::post(timer_->alarm.get_executor(), [this, alive = std::weak_ptr(timer_)] {
    if (alive.expired()) return;
    is_asking_all_ = false;
    trees_at_last_round_ = trees_made();
    for (const auto& [name, collection] : collections_) collection->rest_all();
  });
}

}  // namespace trainyard::store
