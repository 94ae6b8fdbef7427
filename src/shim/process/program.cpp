#include "shim/process/program.h"

#include <string_view>
#include <unistd.h>
#include <vector>

namespace trainyard::shim {
namespace {

constexpr std::string_view kDefaultPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // execve takes char* for historical reasons and writes to none of them.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view path_of(const Spec& spec) {
  constexpr std::string_view kPrefix = "PATH=";
  for (const std::string& variable : spec.env) {
    if (variable.starts_with(kPrefix)) return std::string_view(variable).substr(kPrefix.size());
  }
  return kDefaultPath;
}

std::string quoted(std::string_view name) {
  return "exec: \"" + std::string(name) + "\"";
}

/// In words, why execve() of this file failed with errno.
Failure explain(const std::string& file) {
  int error = errno;
  bool exists = ::access(file.c_str(), F_OK) == 0;
  errno = error;
  if ((error == ENOENT || error == ENOTDIR) && !exists) {
    return {quoted(file) + ": no such file or directory in the container", kNotFound};
  }
  if (error == ENOENT) {
    return {quoted(file) + ": it exists, but the interpreter or loader that it names does not",
            kNotFound};
  }
  if (error == EACCES) {
    return errno_failure(
        quoted(file) + ": not executable (chmod +x it, or name its interpreter in the command)",
        kNotExecutable);
  }
  if (error == ENOEXEC) {
    return {quoted(file) +
                ": no program for this machine: a script needs a first line like "
                "#!/bin/sh",
            kNotExecutable};
  }
  return errno_failure(quoted(file));
}

}  // namespace

Failure run_program(const Spec& spec) {
  const std::string& name = spec.args.front();
  std::vector<char*> args = pointers_to(spec.args);
  std::vector<char*> env = pointers_to(spec.env);
  if (name.find('/') != name.npos) {
    ::execve(name.c_str(), args.data(), env.data());
    return explain(name);
  }
  std::string_view path = path_of(spec);
  MaybeFailure found;
  for (std::string_view rest = path;;) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    std::string file = std::string(folder.empty() ? "." : folder) + "/" + name;
    ::execve(file.c_str(), args.data(), env.data());
    Failure failure = explain(file);
    // Like a shell: a file that cannot be run is remembered, a later folder may have a better one.
    bool absent = failure.code == kNotFound && ::access(file.c_str(), F_OK) != 0;
    if (!absent && !found) found = failure;
    if (folder.size() == rest.size()) break;
    rest.remove_prefix(folder.size() + 1);
  }
  if (found) return *found;
  return {quoted(name) + ": executable file not found in $PATH (" + std::string(path) + ")",
          kNotFound};
}

}  // namespace trainyard::shim
