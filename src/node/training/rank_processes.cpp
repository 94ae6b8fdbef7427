#include "node/training/rank_processes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace trainyard::node {
namespace {

constexpr std::size_t kMostProcesses = 10'000;  // of one container

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || number < 0) {
    return std::nullopt;
  }
  return number;
}

/// They start something else and wait for it, which is no place to be stuck in.
bool is_wrapper(const std::string& name) {
  constexpr std::array kWrappers = {"sh",   "bash", "dash", "zsh",     "ash",   "busybox",
                                    "tini", "tee",  "env",  "timeout", "nice",  "stdbuf",
                                    "sudo", "su",   "time", "sshd",    "orted", "dumb-init"};
  return std::find(kWrappers.begin(), kWrappers.end(), name) != kWrappers.end();
}

class Finder {
 public:
  Finder(const ProcessStates& processes, const std::function<RankVariables(int)>& variables_of)
      : processes_(processes), variables_of_(variables_of) {}

  std::vector<RankProcess> find(int shim) {
    const auto root = processes_.find(shim);
    if (root == processes_.end()) return {};
    shim_name_ = root->second.name;
    RankProcess rest;  // what belongs to no rank
    visit(root->second, rest);
    // torchrun in a pod that was told a rank itself: its workers are the ranks.
    for (const std::size_t launcher : launchers_) ranks_[launcher].family.clear();
    std::erase_if(ranks_, [](const RankProcess& rank) { return rank.family.empty(); });
    if (ranks_.empty() && !rest.family.empty()) ranks_.push_back(std::move(rest));
    for (RankProcess& rank : ranks_) choose_main(rank);
    return std::move(ranks_);
  }

 private:
  struct Step {
    int pid;
    std::size_t owner;  // of ranks_; kNobody
  };
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  void visit(const ProcessState& root, RankProcess& rest) {
    std::vector<Step> steps;
    for (const int child : root.children) steps.push_back({child, kNobody});
    for (std::size_t i = 0; i < steps.size() && i < kMostProcesses; ++i) {
      const auto found = processes_.find(steps[i].pid);
      if (found == processes_.end()) continue;
      std::size_t owner = steps[i].owner;
      if (found->second.name != shim_name_) {  // its own second process is not the container's
        owner = owner_of(steps[i]);
        (owner == kNobody ? rest : ranks_[owner]).family.push_back(steps[i].pid);
      }
      for (const int child : found->second.children) steps.push_back({child, owner});
    }
  }

  std::size_t owner_of(const Step& step) {
    const RankVariables told = variables_of_(step.pid);
    if (!told.rank) return step.owner;
    if (step.owner != kNobody) {
      const RankVariables& above = ranks_[step.owner].variables;
      if (above.rank == told.rank && above.local_rank == told.local_rank) return step.owner;
      launchers_.insert(step.owner);
    }
    RankProcess rank;
    rank.variables = told;
    ranks_.push_back(std::move(rank));
    return ranks_.size() - 1;
  }

  void choose_main(RankProcess& rank) const {
    rank.pid = rank.family.front();
    for (const int pid : rank.family) {
      if (is_wrapper(processes_.at(pid).name)) continue;
      rank.pid = pid;
      break;
    }
    rank.start = processes_.at(rank.pid).start;
  }

  const ProcessStates& processes_;
  const std::function<RankVariables(int)>& variables_of_;
  std::string shim_name_;
  std::vector<RankProcess> ranks_;
  std::set<std::size_t> launchers_;
};

}  // namespace

RankVariables read_rank_variables(std::string_view environment) {
  RankVariables told;
  const auto take = [](std::string_view entry, std::string_view name, auto& into) {
    if (!entry.starts_with(name)) return;
    if (const auto number = number_in(entry.substr(name.size()))) into = *number;
  };
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    const std::string_view entry = environment.substr(0, end);
    environment.remove_prefix(std::min(end + 1, environment.size()));
    take(entry, "RANK=", told.rank);
    take(entry, "LOCAL_RANK=", told.local_rank);
    take(entry, "WORLD_SIZE=", told.world);
    take(entry, "OMPI_COMM_WORLD_RANK=", told.rank);
    take(entry, "OMPI_COMM_WORLD_SIZE=", told.world);
  }
  return told;
}

std::vector<RankProcess> find_ranks(const ProcessStates& processes, int shim,
                                    const std::function<RankVariables(int pid)>& variables_of) {
  return Finder(processes, variables_of).find(shim);
}

}  // namespace trainyard::node
