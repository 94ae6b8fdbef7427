#include "workloads/apps/rollout.h"

#include "workloads/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace trainyard::workloads {
namespace {

/// 3 or "25%" of `whole`, rounded up or down.
std::int64_t resolve(const Json& value, std::int64_t whole, bool round_up) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return static_cast<std::int64_t>(value.get_uint64());
  std::string_view text = value.is_string() ? text_of(value) : "25%";
  std::int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  if (!text.ends_with('%')) return percent;
  return (percent * whole + (round_up ? 99 : 0)) / 100;
}

std::int64_t total_of(const std::vector<SetSize>& sets) {
  std::int64_t total = 0;
  for (const SetSize& set : sets) total += set.replicas;
  return total;
}

bool is_older(const SetSize& a, const SetSize& b) {
  return a.created != b.created ? a.created < b.created : a.uid < b.uid;
}

/// Gives up pods that are not available, of the oldest sets first; at most `spare`.
std::int64_t drop_unavailable(std::vector<SetSize>& old_sets, std::int64_t spare, Sizes& sizes) {
  std::int64_t dropped = 0;
  for (SetSize& set : old_sets) {
    const std::int64_t useless = std::max<std::int64_t>(set.replicas - set.available, 0);
    const std::int64_t now = std::min(useless, spare - dropped);
    if (now <= 0) continue;
    set.replicas -= now;
    dropped += now;
    sizes[set.uid] = set.replicas;
  }
  return dropped;
}

}  // namespace

RolloutForm read_rollout(const Json& deployment) {
  RolloutForm form;
  form.replicas = int_at(deployment, "spec.replicas", 1);
  form.recreate = string_at(deployment, "spec.strategy.type") == "Recreate";
  form.paused = bool_at(deployment, "spec.paused");
  form.min_ready = int_at(deployment, "spec.minReadySeconds");
  form.history_limit = int_at(deployment, "spec.revisionHistoryLimit", 10);
  form.deadline = int_at(deployment, "spec.progressDeadlineSeconds", 600);
  form.has_deadline = form.deadline != std::numeric_limits<std::int32_t>::max();
  if (form.recreate) return form;
  const Json& rolling = json_at(deployment, "spec.strategy.rollingUpdate");
  form.max_surge = resolve(json_at(rolling, "maxSurge"), form.replicas, true);
  form.max_unavailable = resolve(json_at(rolling, "maxUnavailable"), form.replicas, false);
  // Percentages of few replicas can round to nothing: then nothing would ever move.
  if (form.max_surge == 0 && form.max_unavailable == 0) form.max_unavailable = 1;
  form.max_unavailable = std::min(form.max_unavailable, form.replicas);
  return form;
}

std::int64_t new_set_size(const RolloutForm& form, std::int64_t now, std::int64_t others) {
  if (form.recreate || now >= form.replicas) return form.replicas;
  const std::int64_t room = form.replicas + form.max_surge - others;
  return std::clamp<std::int64_t>(room, now, form.replicas);
}

Sizes shrink_old_sets(const RolloutForm& form, const SetSize& new_set,
                      std::vector<SetSize> old_sets) {
  Sizes sizes;
  // A set that has been told to shrink may still have more pods; those count no more.
  for (SetSize& set : old_sets) set.available = std::min(set.available, set.replicas);
  const std::int64_t least = form.replicas - form.max_unavailable;
  const std::int64_t all = total_of(old_sets) + new_set.replicas;
  // Pods of the new set that are not available yet count as if they might never be.
  const std::int64_t spare =
      all - least - std::max<std::int64_t>(new_set.replicas - new_set.available, 0);
  if (total_of(old_sets) == 0 || spare <= 0) return sizes;
  std::sort(old_sets.begin(), old_sets.end(), is_older);
  drop_unavailable(old_sets, spare, sizes);
  std::int64_t available = new_set.available;
  for (const SetSize& set : old_sets) available += set.available;
  std::int64_t excess = available - least;
  for (SetSize& set : old_sets) {
    const std::int64_t now = std::min(set.replicas, excess);
    if (now <= 0) continue;
    set.replicas -= now;
    excess -= now;
    sizes[set.uid] = set.replicas;
  }
  return sizes;
}

Sizes scale_in_proportion(const RolloutForm& form, std::vector<SetSize> sets) {
  std::erase_if(sets, [](const SetSize& set) { return set.replicas == 0; });
  const std::int64_t allowed = form.replicas > 0 ? form.replicas + form.max_surge : 0;
  const std::int64_t change = allowed - total_of(sets);
  // The largest first; of equal ones the newer grows first, and the older shrinks first.
  std::sort(sets.begin(), sets.end(), [&](const SetSize& a, const SetSize& b) {
    if (a.replicas != b.replicas) return a.replicas > b.replicas;
    return change > 0 ? is_older(b, a) : is_older(a, b);
  });
  Sizes sizes;
  std::int64_t given = 0;
  for (const SetSize& set : sets) {
    std::int64_t share = -set.replicas;
    if (form.replicas > 0) {
      const std::int64_t whole = set.max_replicas > 0 ? set.max_replicas : total_of(sets);
      share =
          std::llround(static_cast<double>(set.replicas * allowed) / static_cast<double>(whole)) -
          set.replicas;
    }
    const std::int64_t left = change - given;
    share = change > 0 ? std::clamp<std::int64_t>(share, 0, left)
                       : std::clamp<std::int64_t>(share, left, 0);
    sizes[set.uid] = set.replicas + share;
    given += share;
  }
  // What rounding left over goes to the largest.
  if (!sets.empty()) {
    std::int64_t& first = sizes[sets.front().uid];
    first = std::max<std::int64_t>(first + change - given, 0);
  }
  return sizes;
}

}  // namespace trainyard::workloads
