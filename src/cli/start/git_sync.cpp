// `trainyard git-sync`: fetches a repository as an init container's environment asks for.

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"
#include "cli/command/commands.h"
#include "cli/start/git_sync_plan.h"

#include <fmt/format.h>
#include <spawn.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

/// How often a clone that failed is begun anew is up to its user; how long after is not.
constexpr unsigned kPauseSeconds = 2;

Variables own_environment() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// Runs git, which writes its complaints to the container's log.
class Git {
 public:
  explicit Git(const GitSyncPlan& plan) {
    Variables variables = own_environment();
    // They are in ours because the container has them; a hook of the repository need not.
    for (const char* name : {"GIT_SYNC_USERNAME", "GIT_SYNC_PASSWORD"}) variables.erase(name);
    for (const auto& [name, value] : plan.environment) variables[name] = value;
    for (const auto& [name, value] : variables) environment_.push_back(name + "=" + value);
  }

  struct Outcome {
    int code = 0;
    std::string output;
  };

  Result<Outcome> run(Words words, const std::string& folder) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("making", "a pipe", errno);
    const UniqueFd out(ends[0]);
    UniqueFd in(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    pid_t pid = 0;
    const std::vector<char*> arguments = pointers(words);
    const std::vector<char*> variables = pointers(environment_);
    const int failed =
        posix_spawnp(&pid, "git", &actions, nullptr, arguments.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT) {
      return Error(Code::kNotFound, "git is not installed here: code cannot be fetched without it");
    }
    if (failed != 0) return io_error("starting", "git", failed);
    in.reset();
    return finish(pid, out);
  }

  Result<std::string> must(const Words& words, const std::string& folder) {
    TRY(const Outcome outcome, run(words, folder));
    if (outcome.code == 0) return outcome.output;
    return Error(Code::kUnavailable,
                 fmt::format("`git {}` failed with exit code {}", words.at(1), outcome.code));
  }

 private:
  static Result<Outcome> finish(pid_t pid, const UniqueFd& out) {
    Outcome outcome;
    char buffer[4096];
    while (true) {
      const ssize_t got = ::read(out.get(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      outcome.output.append(buffer, static_cast<std::size_t>(got));
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
      if (errno != EINTR) return io_error("waiting for", "git", errno);
    }
    outcome.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
  }

  std::vector<std::string> environment_;
};

/// master, as it has always been, but a repository without one is no error.
Result<std::string> choose_branch(const GitSyncPlan& plan, Git& git) {
  if (!plan.branch.empty()) return plan.branch;
  TRY(const Git::Outcome outcome, git.run(plan.find_branch("master"), ""));
  if (outcome.code == 0) return std::string("master");
  if (outcome.code == 2) return std::string();  // it answered that there is none
  return Error(Code::kUnavailable, fmt::format("{} could not be read", plan.repository));
}

/// The link appears when everything is there.
Result<> link_to(const fs::path& folder, const fs::path& link) {
  const fs::path fresh = link.string() + ".new";
  std::error_code failed;
  fs::remove(fresh, failed);
  fs::create_symlink(folder.filename(), fresh, failed);
  if (!failed) fs::rename(fresh, link, failed);
  if (!failed) return Ok();
  return io_error("linking", link, failed.value());
}

Result<std::string> fetch(const GitSyncPlan& plan, Git& git) {
  const fs::path root(plan.root);
  const fs::path clone = root / ".git-sync";
  TRY_OK(make_folders(root, 0755));
  TRY_OK(remove_folder(clone));  // of an attempt that was cut off
  TRY(const std::string branch, choose_branch(plan, git));
  TRY_OK(git.must(plan.clone(clone, branch), ""));
  for (const Words& step : plan.check_out()) TRY_OK(git.must(step, clone));
  if (is_there(clone / ".gitmodules")) {
    for (const Words& step : plan.update_submodules()) TRY_OK(git.must(step, clone));
  }
  TRY(std::string commit, git.must({"git", "rev-parse", "HEAD"}, clone));
  while (commit.ends_with('\n')) commit.pop_back();
  const fs::path final_place = root / ("rev-" + commit);
  TRY_OK(remove_folder(final_place));
  std::error_code failed;
  fs::rename(clone, final_place, failed);
  if (failed) return io_error("renaming", clone, failed.value());
  TRY_OK(link_to(final_place, root / plan.dest));
  return commit;
}

}  // namespace

Result<int> git_sync() {
  TRY(const GitSyncPlan plan, plan_git_sync(own_environment()));
  Git git(plan);
  for (std::int64_t tried = 0;; ++tried) {
    const auto commit = fetch(plan, git);
    if (commit) {
      fmt::print("{} is in {}/{}, at commit {}\n", plan.repository, plan.root, plan.dest, *commit);
      return 0;
    }
    if (tried == plan.retries || commit.failed_with(Code::kNotFound)) return commit.error();
    fmt::print(stderr, "{}; trying again\n", commit.error().message());
    ::sleep(kPauseSeconds);
  }
}

}  // namespace trainyard::cli
