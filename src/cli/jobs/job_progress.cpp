#include "cli/jobs/job_progress.h"

#include "http/wire/message.h"

namespace trainyard::cli {

std::map<std::string, std::string> read_job_progress(const Json& answer) {
  std::map<std::string, std::string> words;
  for (const Json& item : array_at(answer, "items")) {
    // A server that does not know the question lists the pods themselves.
    const std::string_view owner = string_at(item, "owner");
    if (!owner.empty()) words.emplace(owner, string_at(item, "progress.words"));
  }
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
