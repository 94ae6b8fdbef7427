#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "object/values/metadata.h"
#include "object/values/selector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::contract {

inline const Resource kPodUsages{"usage.trainyard.dev", "v1", "podusages"};

/// One metric over time, an entry a step; NaN where nothing is known.
struct UsageCurve {
  std::string name;
  std::vector<float> mean;
  std::vector<float> low;  // the least and the most within the step
  std::vector<float> high;
};

/// What was asked for, or allowed, of one resource; an entry a step, NaN where there was no pod.
struct LevelCurve {
  std::string resource;
  std::vector<float> amount;
};

/// What a pod, or several together, have used.
struct UsageHistory {
  Key pod;  // without a name: several
  std::string uid;
  Json labels;
  std::size_t pods = 1;
  WallTime begin;
  std::optional<WallTime> end;  // none: something still runs
  std::vector<UsageCurve> usage;
  std::vector<LevelCurve> requests;
  std::vector<LevelCurve> limits;
};

/// How several pods become one curve, step by step, of those that were there.
enum class Together : std::uint8_t { kSum, kMean, kLeast, kGreatest };

/// Which pods, when, and how finely.
struct UsageQuestion {
  std::string ns;         // empty: all
  std::string name;       // empty: all
  std::string owner;      // uid of what owns them; empty: whatever does
  std::string job;        // name of what owns them: of one that is gone nobody knows the uid
  std::string node;       // empty: on all
  std::string container;  // what this container of theirs has used; empty: all
  LabelSelector labels;
  std::optional<WallTime> from;              // none: when the first of them began
  std::optional<WallTime> to;                // none: when the last of them ended, or now
  std::size_t points = 600;                  // no more steps than that
  std::optional<std::chrono::seconds> step;  // at least so long
  // Only these; `gpu` stands for all of GPUs. Empty: all.
  std::vector<std::string> metrics;
  std::optional<Together> together;  // all pods as one; none: each by itself
};

struct UsageAnswer {
  WallTime recorded_since;  // nothing is known of what was before
  WallTime from;            // where the first step begins
  std::chrono::milliseconds step{};
  std::vector<UsageHistory> items;
  std::size_t left_out = 0;  // pods, the oldest: more than can be told at once
};

/// What pods have used since they began, also those that are gone.
class UsageHistories {
 public:
  virtual ~UsageHistories() = default;
  virtual awaitable<UsageAnswer> tell(UsageQuestion question) = 0;
};

}  // namespace trainyard::contract
