#pragma once

#include "base/clock.h"

#include <algorithm>
#include <chrono>

namespace trainyard::client {

/// Lets so many things happen a second on average, and so many at once after a quiet time.
class TokenBucket {
 public:
  TokenBucket(double per_second, double burst)
      : per_second_(per_second), burst_(burst), tokens_(burst) {}

  /// False: there is no token now.
  bool try_take(TimePoint now) {
    fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

  /// Takes a token, if need be one of the future, and says how long to wait for it.
  std::chrono::nanoseconds take(TimePoint now) {
    fill(now);
    tokens_ -= 1;
    if (tokens_ >= 0) return std::chrono::nanoseconds(0);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(-tokens_ / per_second_ * 1e9));
  }

 private:
  void fill(TimePoint now) {
    if (!started_) filled_ = now;
    started_ = true;
    const std::chrono::duration<double> passed = now - filled_;
    tokens_ = std::min(burst_, tokens_ + passed.count() * per_second_);
    filled_ = now;
  }

  double per_second_;
  double burst_;
  double tokens_;
  TimePoint filled_;
  bool started_ = false;
};

}  // namespace trainyard::client
