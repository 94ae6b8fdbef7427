#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace trainyard::cli::arena {

/// Sorts by a key that is made once for each item; items of one key stay in their order.
template <class Item, class MakeKey>
void sort_by(std::vector<Item>& items, MakeKey make_key) {
  std::vector<std::pair<decltype(make_key(items.front())), std::size_t>> places;
  places.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) places.emplace_back(make_key(items[i]), i);
  std::sort(places.begin(), places.end());
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  for (const auto& place : places) sorted.push_back(std::move(items[place.second]));
  items = std::move(sorted);
}

}  // namespace trainyard::cli::arena
