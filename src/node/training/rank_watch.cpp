#include "node/training/rank_watch.h"

#include <algorithm>

namespace trainyard::node {
namespace {

using contract::RankPace;
using contract::RankState;

constexpr std::int64_t kBegun = 200'000;  // microseconds of CPU: more than a shell ever takes
// Fewer looks would make a pace of chance: a rank that waits 40 % of its time is found waiting at
// 60 % of 8 looks every sixth time, of 24 every fiftieth, and three in a row must agree.
constexpr int kFewestLooks = 24;
constexpr int kLooksThatAgree = 3;
// Who is slow keeps the others waiting in every step; who evaluates, or saves, once in a while.
constexpr int kFewestWaits = 4;
constexpr double kMostly = 0.6;
constexpr double kSeldom = 0.25;

double a_second(std::int64_t amount, const RankSample& before, const RankSample& after) {
  const std::chrono::duration<double> span = after.time - before.time;
  return span.count() <= 0 ? 0 : static_cast<double>(amount) / span.count();
}

bool main_thread_ran(const RankSample& before, const RankSample& after) {
  const double own = a_second(after.main_nanoseconds - before.main_nanoseconds, before, after);
  return own / 1e9 > ActivityNoise().main_thread_cpu;
}

}  // namespace

Motion motion_without_sockets(const RankSample& before, const RankSample& after) {
  constexpr ActivityNoise kNoise;
  if (after.doing == WaitKind::kIsStopped) return Motion::kIsStopped;
  // Who starts or ends a process is busy with something.
  if (after.family != before.family) return Motion::kMoves;
  if (a_second(after.file_bytes - before.file_bytes, before, after) > kNoise.bytes) {
    return Motion::kMoves;
  }
  const double family = a_second(after.cpu_microseconds - before.cpu_microseconds, before, after);
  // Who waits for nothing but a CPU would compute on a machine that is less busy.
  const bool computes = after.doing == WaitKind::kRuns || family / 1e6 > kNoise.family_cpu ||
                        main_thread_ran(before, after);
  return computes ? Motion::kComputes : Motion::kNothing;
}

Motion motion_between(const RankSample& before, const RankSample& after) {
  constexpr ActivityNoise kNoise;
  const Motion motion = motion_without_sockets(before, after);
  if (motion == Motion::kMoves || motion == Motion::kIsStopped) return motion;
  // What cannot be compared counts as motion: rather too late than for nothing.
  if (!before.socket_bytes || !after.socket_bytes) return Motion::kMoves;
  const std::int64_t passed = *after.socket_bytes - *before.socket_bytes;
  // Less than before: a connection was closed.
  if (passed < 0) return Motion::kMoves;
  const double rate = a_second(passed, before, after);
  if (rate <= kNoise.bytes) return motion;
  const double family = a_second(after.cpu_microseconds - before.cpu_microseconds, before, after);
  const bool little = family / 1e6 < kNoise.murmur_cpu && rate < kNoise.murmur_bytes;
  return little ? Motion::kMurmurs : Motion::kMoves;
}

void RankWatch::add(const RankSample& sample) {
  begun_ = begun_ || sample.cpu_microseconds >= kBegun;
  if (!last_) {
    since_ = sample.time;
    window_.begin = sample.time;
  } else {
    judge(motion_between(*last_, sample), last_->time, sample.time);
    count(*last_, sample);
  }
  last_ = sample;
}

void RankWatch::judge(Motion motion, TimePoint before, TimePoint now) {
  const auto holds = [&](std::optional<TimePoint>& since, bool still) {
    if (!still) since.reset();
    if (still && !since) since = before;
  };
  holds(stopped_since_, motion == Motion::kIsStopped);
  holds(still_since_, motion == Motion::kComputes || motion == Motion::kNothing);
  // A moment's work, such as a timer's, does not wake one who has slept for long.
  const bool slept = state_ == RankState::kQuiet;
  sure_ = sure_ || motion == Motion::kMoves;
  stirs_ = motion == Motion::kComputes ? stirs_ + 1 : 0;
  const bool stirred_only = slept && motion == Motion::kComputes && stirs_ < 2;
  if (!stirred_only) holds(nothing_since_, motion == Motion::kNothing);
  holds(little_since_, motion == Motion::kMurmurs || motion == Motion::kNothing ||
                           (motion == Motion::kComputes && stirs_ < 2));
  if (stopped_since_ && now - *stopped_since_ >= limits_.stopped()) {
    return set(RankState::kIsStopped, *stopped_since_);
  }
  if (motion == Motion::kIsStopped) return;  // perhaps for a moment only
  if (nothing_since_ && now - *nothing_since_ >= limits_.quiet) {
    return set(RankState::kQuiet, *nothing_since_);
  }
  if (still_since_ && now - *still_since_ >= limits_.spinning()) {
    return set(RankState::kSpins, *still_since_);
  }
  if (little_since_ && now - *little_since_ >= limits_.quiet) {
    return set(RankState::kMurmurs, *little_since_);
  }
  set(RankState::kMoves, now);
}

void RankWatch::set(RankState state, TimePoint since) {
  if (state_ == state) return;
  sure_ = true;
  const bool went_on = has_pace() && (state == RankState::kMoves || state == RankState::kMurmurs);
  state_ = state;
  since_ = since;
  if (went_on) return;
  // A pace is of one who moves.
  window_ = Window{since};
  last_pace_ = pace_ = RankPace::kMixed;
  agreement_ = 0;
}

void RankWatch::count(const RankSample& before, const RankSample& sample) {
  if (!has_pace()) return;
  ++window_.looks;
  const bool lock = sample.doing == WaitKind::kLock;
  const bool poll = sample.doing == WaitKind::kPoll;
  const bool socket = sample.doing == WaitKind::kSocket;
  window_.lock += lock ? 1 : 0;
  window_.poll += poll ? 1 : 0;
  window_.socket += socket ? 1 : 0;
  // One whose main thread has not run since the last look is still in the wait that it was in then,
  // whatever its other threads and processes do.
  window_.waits += (lock || poll || socket) && main_thread_ran(before, sample) ? 1 : 0;
  if (sample.time - window_.begin < limits_.pace_window() || window_.looks < kFewestLooks) return;
  const RankPace now = pace_of(window_);
  agreement_ = now == last_pace_ ? agreement_ + 1 : 1;
  last_pace_ = now;
  if (agreement_ >= kLooksThatAgree) pace_ = now;
  window_ = Window{sample.time};
}

RankPace RankWatch::pace_of(const Window& window) const {
  const auto share = [&](int looks) { return static_cast<double>(looks) / window.looks; };
  const auto mostly = [&](int looks) {
    return share(looks) >= kMostly && window.waits >= kFewestWaits;
  };
  if (mostly(window.lock)) return RankPace::kWaitsInLock;
  if (mostly(window.poll)) return RankPace::kWaitsInPoll;
  if (mostly(window.socket)) return RankPace::kWaitsInSocket;
  if (share(window.lock + window.poll + window.socket) <= kSeldom) return RankPace::kWorks;
  return RankPace::kMixed;
}

}  // namespace trainyard::node
