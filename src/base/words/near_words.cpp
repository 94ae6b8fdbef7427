#include "base/words/near_words.h"

#include <algorithm>
#include <numeric>

namespace trainyard {
namespace {

/// How many letters have to be put in, taken out, changed, or swapped with their neighbour.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(cost.front().begin(), cost.front().end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    cost[i][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(const std::string& typed, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;  // nobody mistypes more
  if (typed.size() < 2 || typed.size() > kLongest) return "";
  std::string best;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : known) {
    if (word.size() > kLongest) continue;
    const std::size_t far = distance(typed, word);
    if (far < least) {
      least = far;
      best = word;
    }
  }
  return best;
}

}  // namespace trainyard
