#include "cli/start/git_sync_plan.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::cli {
namespace {

using Variables = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

std::string get(const Variables& variables, const std::string& name, const char* fallback = "") {
  const auto found = variables.find(name);
  return found == variables.end() || found->second.empty() ? fallback : found->second;
}

Result<std::int64_t> get_number(const Variables& variables, const std::string& name) {
  const std::string text = get(variables, name, "0");
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= 0) return number;
  return Error(Code::kInvalid, fmt::format("{}={}: it must be a number from 0 on", name, text));
}

struct Login {
  std::string user;
  std::string password;
};

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

std::string decode(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
    if (low < 0) {
      out += text[i];
    } else {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

/// https://USER:PASSWORD@host/… loses its login: git would write it into the clone.
Login take_login(std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos || !url.starts_with("http")) return {};
  const std::size_t from = scheme + 3;
  const std::size_t at = url.rfind('@', url.find('/', from));
  if (at == std::string::npos || at < from) return {};
  const std::string text = url.substr(from, at - from);
  url.erase(from, at + 1 - from);
  const std::size_t colon = text.find(':');
  return {decode(text.substr(0, colon)),
          colon == std::string::npos ? "" : decode(text.substr(colon + 1))};
}

/// https://host:port of https://host:port/path: whom the login is for.
std::string origin_of(const std::string& url) {
  return url.substr(0, url.find('/', url.find("://") + 3));
}

/// A helper that git asks and that reads variables: `printf` is the shell's own, so no list of
/// arguments ever holds the login. Submodules of other servers do not get it.
constexpr const char* kHelper =
    "!f() { test \"$1\" = get && "
    "printf 'username=%s\\npassword=%s\\n' \"$TRAINYARD_GIT_USER\" \"$TRAINYARD_GIT_PASSWORD\"; }; "
    "f";

void add_login(const std::string& repository, const Login& login, Variables& environment) {
  environment["GIT_TERMINAL_PROMPT"] = "0";
  environment["GIT_ASKPASS"] = "true";  // says nothing: a wrong login is an error, not a question
  if (!repository.starts_with("http") || (login.user.empty() && login.password.empty())) return;
  environment["TRAINYARD_GIT_USER"] = login.user;
  environment["TRAINYARD_GIT_PASSWORD"] = login.password;
  environment["GIT_CONFIG_COUNT"] = "2";
  // The first forgets helpers of the machine's, which would be asked before ours.
  environment["GIT_CONFIG_KEY_0"] = "credential.helper";
  environment["GIT_CONFIG_VALUE_0"] = "";
  environment["GIT_CONFIG_KEY_1"] = fmt::format("credential.{}.helper", origin_of(repository));
  environment["GIT_CONFIG_VALUE_1"] = kHelper;
}

void add_ssh(const Variables& variables, Variables& environment) {
  if (get(variables, "GIT_SYNC_SSH") != "true") return;
  const bool checks = get(variables, "GIT_KNOWN_HOSTS", "true") != "false";
  const std::string key = get(variables, "GIT_SSH_KEY_FILE", "/etc/git-secret/ssh");
  const std::string hosts =
      get(variables, "GIT_SSH_KNOWN_HOSTS_FILE", "/etc/git-secret/known_hosts");
  environment["GIT_SSH_COMMAND"] =
      checks ? fmt::format("ssh -o BatchMode=yes -i '{}' -o UserKnownHostsFile='{}'", key, hosts)
             : fmt::format(
                   "ssh -o BatchMode=yes -i '{}' -o StrictHostKeyChecking=no -o "
                   "UserKnownHostsFile=/dev/null",
                   key);
}

}  // namespace

Words GitSyncPlan::find_branch(const std::string& name) const {
  return {"git", "ls-remote", "--exit-code", "--heads", "--", repository, "refs/heads/" + name};
}

Words GitSyncPlan::clone(const std::string& into, const std::string& chosen_branch) const {
  Words words{"git", "clone", "--quiet"};
  if (!chosen_branch.empty()) words.push_back("--branch=" + chosen_branch);
  if (depth > 0) words.push_back(fmt::format("--depth={}", depth));
  words.insert(words.end(), {"--", repository, into});
  return words;
}

std::vector<Words> GitSyncPlan::check_out() const {
  if (revision.empty()) return {};
  std::vector<Words> steps;
  if (depth > 0) {
    steps.push_back(
        {"git", "fetch", "--quiet", fmt::format("--depth={}", depth), "origin", revision});
    steps.push_back({"git", "checkout", "--quiet", "--detach", "FETCH_HEAD"});
  } else {
    steps.push_back({"git", "checkout", "--quiet", "--detach", revision});
  }
  return steps;
}

std::vector<Words> GitSyncPlan::update_submodules() const {
  if (submodules == "off") return {};
  Words words{"git", "submodule", "--quiet", "update", "--init"};
  if (submodules == "recursive") words.emplace_back("--recursive");
  if (depth > 0) words.push_back(fmt::format("--depth={}", depth));
  return {std::move(words)};
}

Result<GitSyncPlan> plan_git_sync(const Variables& variables) {
  GitSyncPlan plan;
  plan.repository = get(variables, "GIT_SYNC_REPO");
  if (plan.repository.empty()) {
    return Error(Code::kInvalid, "GIT_SYNC_REPO is not set: it names the repository");
  }
  Login login = take_login(plan.repository);
  if (login.user.empty()) login.user = get(variables, "GIT_SYNC_USERNAME");
  if (login.password.empty()) login.password = get(variables, "GIT_SYNC_PASSWORD");
  plan.root = get(variables, "GIT_SYNC_ROOT", "/code");
  plan.dest = get(variables, "GIT_SYNC_DEST", "code");
  if (plan.dest.find('/') != std::string::npos || plan.dest == "." || plan.dest == "..") {
    return Error(Code::kInvalid,
                 fmt::format("GIT_SYNC_DEST={}: it is a name below GIT_SYNC_ROOT", plan.dest));
  }
  plan.branch = get(variables, "GIT_SYNC_BRANCH");
  plan.revision = get(variables, "GIT_SYNC_REV");
  if (plan.revision == "HEAD") plan.revision.clear();
  if (plan.revision.starts_with('-')) {
    return Error(Code::kInvalid, fmt::format("GIT_SYNC_REV={} is no revision", plan.revision));
  }
  plan.submodules = get(variables, "GIT_SYNC_SUBMODULES", "recursive");
  if (plan.submodules != "recursive" && plan.submodules != "shallow" && plan.submodules != "off") {
    return Error(Code::kInvalid, fmt::format("GIT_SYNC_SUBMODULES={}: it can be recursive, shallow "
                                             "or off",
                                             plan.submodules));
  }
  TRY(plan.depth, get_number(variables, "GIT_SYNC_DEPTH"));
  TRY(plan.retries, get_number(variables, "GIT_SYNC_MAX_SYNC_FAILURES"));
  add_login(plan.repository, login, plan.environment);
  add_ssh(variables, plan.environment);
  return plan;
}

}  // namespace trainyard::cli
