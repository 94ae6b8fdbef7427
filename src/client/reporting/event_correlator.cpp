#include "client/reporting/event_correlator.h"

#include "base/crypto/ids.h"

#include <fmt/format.h>

namespace trainyard::client {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kMostMessages = 10;
constexpr std::chrono::seconds kSimilarFor = 600s;
constexpr std::size_t kMostEntries = 4096;

/// The entry of a bounded memory. What was not asked for in a while goes first.
template <class Entry>
Entry& remember(std::map<std::uint64_t, Entry>& memory, const std::string& name, TimePoint now) {
  const std::uint64_t id = fnv1a(name);
  if (memory.size() >= kMostEntries && !memory.contains(id)) {
    std::erase_if(memory, [&](const auto& item) { return now - item.second.last > kSimilarFor; });
    if (memory.size() >= kMostEntries) memory.clear();
  }
  Entry& entry = memory[id];
  return entry;
}

}  // namespace

/// The id of the event that this belongs to: its own, or the one of all its kin.
std::string EventCorrelator::combine(const std::string& kin, const Happening& happening,
                                     TimePoint now, std::string& message) {
  Similar& similar = remember(similar_, kin, now);
  if (now - similar.last > kSimilarFor) similar.messages.clear();
  similar.last = now;
  const std::uint64_t words = fnv1a(happening.message);
  if (similar.messages.size() < kMostMessages || similar.messages.contains(words)) {
    similar.messages.insert(words);
    return kin + "|" + happening.message;
  }
  message = "(combined from similar events): " + happening.message;
  return kin;
}

std::optional<EventCorrelator::Entry> EventCorrelator::correlate(const Happening& happening,
                                                                 TimePoint now) {
  const std::string kin =
      fmt::format("{}|{}|{}", happening.object, happening.type, happening.reason);
  Entry entry;
  entry.message = happening.message;
  entry.id = combine(kin, happening, now, entry.message);
  Count& count = remember(counts_, entry.id, now);
  entry.before = count.seen++;
  count.last = now;
  Budget& budget = remember(budgets_, kin, now);
  budget.last = now;
  if (!budget.bucket.try_take(now)) return std::nullopt;
  return entry;
}

}  // namespace trainyard::client
