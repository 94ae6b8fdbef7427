#include "cli/job_progress.h"

#include "http/message.h"

#include <fmt/format.h>

namespace trainyard::cli {

std::map<std::string, std::string> read_job_progress(const Json& answer) {
  struct Best {
    int worth = -1;
    std::string words;
  };
  std::map<std::string, Best> best;
  for (const Json& item : array_at(answer, "items")) {
    const Json* progress = find(item, "progress");
    // A server that does not know the question lists the pods themselves.
    if (progress == nullptr || string_at(item, "owner").empty()) continue;
    const int worth = (find(*progress, "share") != nullptr ? 4 : 0) +
                      (find(*progress, "rate") != nullptr ? 2 : 0) +
                      (object_at(*progress, "values").empty() ? 0 : 1);
    Best& one = best[std::string(string_at(item, "owner"))];
    if (worth > one.worth) one = {worth, std::string(string_at(*progress, "words"))};
  }
  std::map<std::string, std::string> words;
  for (auto& [owner, one] : best) words.emplace(owner, std::move(one.words));
  return words;
}

awaitable<std::map<std::string, std::string>> job_progress(client::RemoteApi& api, std::string ns,
                                                           std::string pods) {
  std::string path = client::resource_path(kPods, Key{std::move(ns), ""}) + "?progress=true";
  if (!pods.empty()) path += "&labelSelector=" + http::percent_encode(pods);
  const auto answer = co_await api.get_path(std::move(path));
  if (!answer) co_return std::map<std::string, std::string>();
  co_return read_job_progress(*answer);
}

}  // namespace trainyard::cli
