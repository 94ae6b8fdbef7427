#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::cli {

/// How a repository's files are to be fetched: what the variables GIT_SYNC_… of a container say.
struct GitSyncPlan {
  std::string repository;  // without a login
  std::string root;        // the folder that all goes to
  std::string dest;        // the link in it that leads to the files
  std::string branch;      // empty: master where there is one, else what the repository prefers
  std::string revision;    // empty: the branch's newest
  std::int64_t depth = 0;  // 0: all of its history
  std::string submodules;  // recursive, shallow or off
  std::int64_t retries = 0;
  /// What git gets besides its own variables. The login is only here, never in an argument.
  std::map<std::string, std::string> environment;

  std::vector<std::string> find_branch(const std::string& name) const;
  std::vector<std::string> clone(const std::string& into, const std::string& chosen_branch) const;
  /// In the clone.
  std::vector<std::vector<std::string>> check_out() const;
  std::vector<std::vector<std::string>> update_submodules() const;
};

/// Pure. `variables` is the environment.
Result<GitSyncPlan> plan_git_sync(const std::map<std::string, std::string>& variables);

}  // namespace trainyard::cli
