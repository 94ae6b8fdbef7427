#include "contract/rank_activity.h"

#include "object/values/status.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainyard::contract {
namespace {

constexpr std::array kStates = {
    std::pair(RankState::kMoves, "Moves"), std::pair(RankState::kQuiet, "Quiet"),
    std::pair(RankState::kSpins, "Spins"), std::pair(RankState::kIsStopped, "Stopped"),
    std::pair(RankState::kMurmurs, "Murmurs")};
constexpr std::array kPaces = {std::pair(RankPace::kMixed, ""),
                               std::pair(RankPace::kWorks, "Works"),
                               std::pair(RankPace::kWaitsInLock, "WaitsInLock"),
                               std::pair(RankPace::kWaitsInPoll, "WaitsInPoll"),
                               std::pair(RankPace::kWaitsInSocket, "WaitsInSocket"),
                               std::pair(RankPace::kCountsSlowly, "CountsSlowly")};

template <class Table>
auto value_named(const Table& table, std::string_view name) {
  for (const auto& [value, word] : table) {
    if (name == word) return value;
  }
  return table.front().first;
}

template <class Table, class Value>
const char* word_for(const Table& table, Value value) {
  for (const auto& [other, word] : table) {
    if (other == value) return word;
  }
  return "";
}

RankReport read_report(const Json& json) {
  RankReport report;
  report.container = string_at(json, "container");
  if (const std::int64_t rank = int_at(json, "rank", -1); rank >= 0) {
    report.rank = static_cast<int>(std::min<std::int64_t>(rank, INT32_MAX));
  }
  report.world = static_cast<int>(std::clamp<std::int64_t>(int_at(json, "world"), 0, INT32_MAX));
  report.state = value_named(kStates, string_at(json, "state"));
  report.pace = value_named(kPaces, string_at(json, "pace"));
  report.began = bool_at(json, "began");
  if (const auto since = parse_time(string_at(json, "since"))) report.since = *since;
  report.waits = string_at(json, "waits");
  for (const Json& frame : array_at(json, "stack")) {
    if (frame.is_string()) report.stack.push_back(to_string(frame.get_string()));
  }
  return report;
}

}  // namespace

const char* name_of(RankState state) {
  return word_for(kStates, state);
}

std::string activity_message(const std::vector<RankReport>& reports) {
  JsonArray ranks;
  for (const RankReport& report : reports) {
    JsonObject json{{"container", report.container}};
    if (report.rank) json["rank"] = *report.rank;
    if (report.world > 0) json["world"] = report.world;
    json["state"] = name_of(report.state);
    if (report.pace != RankPace::kMixed) json["pace"] = word_for(kPaces, report.pace);
    if (report.began) json["began"] = true;
    json["since"] = format_time_micro(report.since);
    if (!report.waits.empty()) json["waits"] = report.waits;
    if (!report.stack.empty()) {
      JsonArray stack;
      for (const std::string& frame : report.stack) stack.emplace_back(frame);
      json["stack"] = std::move(stack);
    }
    ranks.push_back(std::move(json));
  }
  return to_text(Json{{"ranks", std::move(ranks)}});
}

std::vector<RankReport> read_activity(std::string_view message) {
  std::vector<RankReport> reports;
  const auto json = parse_json(message);
  if (!json) return reports;
  for (const Json& rank : array_at(*json, "ranks")) {
    if (rank.is_object()) reports.push_back(read_report(rank));
  }
  return reports;
}

std::vector<RankReport> activity_of(const Json& pod) {
  const Json* condition = find_condition(pod, kActivityCondition);
  if (condition == nullptr) return {};
  return read_activity(string_at(*condition, "message"));
}

}  // namespace trainyard::contract
