#include "cli/arena/commands.h"

#include <fmt/format.h>

#include <sys/utsname.h>

/// Commands about the program and its user.
namespace trainyard::cli::arena {
namespace {

struct VersionOptions {
  bool brief = false;
  bool verbose = false;
};

std::string platform() {
  utsname here{};
  uname(&here);
  const std::string machine(here.machine);
  return fmt::format("linux/{}", machine == "x86_64"    ? "amd64"
                                 : machine == "aarch64" ? "arm64"
                                                        : machine);
}

Result<int> print_version(const VersionOptions& options) {
  fmt::print("arena: {}\n", TRAINYARD_VERSION);
  if (options.brief) return 0;
  fmt::print("  BuildDate: {}\n", "not recorded: builds are reproducible");
  fmt::print("  GitCommit: {}\n", "not recorded");
  fmt::print("  GitTreeState: {}\n", "not recorded");
  fmt::print("  Compiler: clang {}\n", __clang_version__);
  fmt::print("  Platform: {}\n", platform());
  return 0;
}

Result<int> print_caller(Context& context) {
  TRY(const Caller caller, context.caller());
  TRY(const bool administrator, context.is_administrator(caller));
  JsonObject line;
  line["Name"] = caller.name;
  line["Id"] = caller.id;
  line["IsAdminUser"] = administrator;
  fmt::print("{}\n", to_text(line));
  return 0;
}

}  // namespace

void add_own_commands(Command& root) {
  const auto options = std::make_shared<VersionOptions>();
  Command& version = root.add("version", "Print the version.");
  version.flags.toggle("short", 0, options->brief, "only the version itself");
  version.flags.toggle("verbose", 'v', options->verbose, "all there is (as without it)");
  version.example = "arena version --short";
  version.run = [options](Context&, const Command::Words&) { return print_version(*options); };

  Command& whoami = root.add("whoami", "Print who you are to the server, as one line of JSON.");
  whoami.example = "arena whoami";
  whoami.run = [](Context& context, const Command::Words&) { return print_caller(context); };
}

}  // namespace trainyard::cli::arena
