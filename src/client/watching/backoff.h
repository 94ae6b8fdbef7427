#pragma once

#include "client/watching/token_bucket.h"
#include "object/values/metadata.h"

#include <chrono>
#include <map>

namespace trainyard::client {

/// How long to wait before trying again what has failed: twice as long with each failure of the
/// same key, with up to a tenth more so that keys which failed together do not come back together;
/// and when very many keys fail, as long as it takes to keep their retries to a few a second.
class Backoff {
 public:
  std::chrono::nanoseconds failed(const Key& key, TimePoint now);
  /// The key has succeeded: its next failure is its first.
  void forget(const Key& key) { failures_.erase(key); }
  int failures(const Key& key) const;

 private:
  std::map<Key, int> failures_;
  TokenBucket overall_{10, 100};
};

}  // namespace trainyard::client
