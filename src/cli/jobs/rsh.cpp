#include "cli/jobs/rsh.h"

#include "base/files/files.h"
#include "base/words/text.h"
#include "cli/command/context.h"
#include "cli/terminal/session_output.h"
#include "client/remote/kubeconfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace trainyard::cli {
namespace {

constexpr int kCouldNotRun = 255;

/// Passes on what the command writes until it has ended.
awaitable<Result<int>> follow(client::RemoteApi& api, std::string target) {
  CO_TRY(auto socket, co_await api.open_socket(std::move(target), kSessionProtocol));
  co_return co_await print_output(*socket);
}

Result<int> run(const std::vector<std::string>& given) {
  const std::vector<std::string> words = without_ssh_options(given);
  if (words.size() < 2) {
    return Error(Code::kInvalid, "rsh: say the host of a worker and a command");
  }
  TRY(const std::string list, read_file(kWorkersFile));
  const std::optional<RshWorker> worker = find_rsh_worker(list, words.front());
  if (!worker) {
    return Error(Code::kNotFound, fmt::format("rsh: {} has no worker {}", kWorkersFile, words[0]));
  }
  TRY(client::Connection connection, client::load_pod_account());
  const std::string target = exec_target(connection.ns, *worker, {words.begin() + 1, words.end()});
  const std::unique_ptr<Session> session = Session::with(std::move(connection));
  return session->run(follow(session->api(), target));
}

}  // namespace

std::vector<std::string> without_ssh_options(const std::vector<std::string>& words) {
  constexpr std::string_view kWithValue = "BbcDEeFIiJLlmOopQRSWw";
  std::size_t first = 0;
  while (first < words.size() && words[first].size() > 1 && words[first][0] == '-') {
    const bool separate =
        words[first].size() == 2 && kWithValue.find(words[first][1]) != kWithValue.npos;
    first += separate ? 2 : 1;
  }
  first = std::min(first, words.size());
  return {words.begin() + static_cast<std::ptrdiff_t>(first), words.end()};
}

std::optional<RshWorker> find_rsh_worker(std::string_view list, std::string_view host) {
  for (const std::string_view line : words_between(list, '\n')) {
    const std::vector<std::string_view> words = words_between(line, ' ');
    if (words.size() == 3 && words[0] == host) {
      return RshWorker{std::string(words[1]), std::string(words[2])};
    }
  }
  return std::nullopt;
}

std::string exec_target(const std::string& ns, const RshWorker& worker,
                        const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return fmt::format(
      "{}?container={}&stdout=true&stderr=true&command=/bin/sh&command=-c&command={}",
      client::resource_path(kPods, Key{ns, worker.pod}, "exec"), worker.container,
      http::percent_encode(line));
}

int run_rsh(const std::vector<std::string>& words) {
  const Result<int> ended = run(words);
  if (ended) return *ended;
  fmt::print(stderr, "trainyard: {}\n", ended.error().message());
  return kCouldNotRun;
}

}  // namespace trainyard::cli
