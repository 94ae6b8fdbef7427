#include "client/watching/backoff.h"

#include "base/crypto/ids.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::client {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kFirst = 5ms;
constexpr std::chrono::nanoseconds kLongest = 30s;

}  // namespace

int Backoff::failures(const Key& key) const {
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
}

std::chrono::nanoseconds Backoff::failed(const Key& key, TimePoint now) {
  const int failures = ++failures_[key];
  const std::chrono::nanoseconds pause =
      std::min(kFirst * (std::int64_t{1} << std::min(failures - 1, 20)), kLongest);
  // From the key itself, not from chance: a simulation that is run again does the same again.
  const std::uint64_t dice = fnv1a(fmt::format("{}#{}", key, failures)) % 1000;
  const std::chrono::nanoseconds extra = pause * static_cast<std::int64_t>(dice) / 10'000;
  return std::max(pause + extra, overall_.take(now));
}

}  // namespace trainyard::client
