#pragma once

#include "client/watching/token_bucket.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace trainyard::client {

/// Keeps a component that has much to say from drowning everybody else: the same event is counted
/// instead of written again; when more than ten messages of one reason about one object come within
/// ten minutes, they share one event; and a reason that an object gives all the time is written
/// every five minutes. The numbers are those of Kubernetes' own components; they silence the object
/// as a whole, which would cost a job with many pods the event of its end.
class EventCorrelator {
 public:
  struct Happening {
    std::string object;  // whom it is about: what tells it from all others
    std::string type;
    std::string reason;
    std::string message;
  };
  struct Entry {
    std::string id;       // the same for all that one Event object stands for
    std::string message;  // says so when it stands for several
    /// How often it was seen before by this process; 0: maybe it must be created.
    std::int64_t before = 0;
  };

  /// What to write; nothing when the object has had its share.
  std::optional<Entry> correlate(const Happening& happening, TimePoint now);

 private:
  struct Similar {
    std::set<std::uint64_t> messages;
    TimePoint last;
  };
  struct Count {
    std::int64_t seen = 0;
    TimePoint last;
  };
  struct Budget {
    TokenBucket bucket{1.0 / 300, 25};
    TimePoint last;
  };

  std::string combine(const std::string& kin, const Happening& happening, TimePoint now,
                      std::string& message);

  // By hashes: there are thousands, and nobody needs the words again.
  std::map<std::uint64_t, Similar> similar_;
  std::map<std::uint64_t, Count> counts_;
  std::map<std::uint64_t, Budget> budgets_;
};

}  // namespace trainyard::client
