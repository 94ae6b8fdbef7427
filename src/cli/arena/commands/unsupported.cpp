#include "cli/arena/commands.h"

#include <fmt/format.h>

/// What Arena has besides: each is known by its name, so that nobody looks for a typing error.
namespace trainyard::cli::arena {
namespace {

struct Absent {
  const char* parent;  // empty: the root
  const char* name;
  std::vector<std::string> aliases;
};

const std::vector<Absent>& absent_commands() {
  static const std::vector<Absent> kAll = {
      {"submit", "horovodjob", {"horovod", "hj"}},
      {"submit", "etjob", {"et"}},
      {"submit", "deepspeedjob", {"deepspeed", "dp"}},
      {"submit", "volcanojob", {"volcano", "vj"}},
      {"submit", "rayjob", {"ray", "rj"}},
      {"submit", "sparkjob", {"spark"}},
      {"submit", "standalonejob", {"standalone", "sj"}},
      {"", "scaleout", {}},
      {"", "scalein", {}},
      {"", "logviewer", {}},
      {"", "cron", {}},
      {"", "evaluate", {}},
      {"", "serve", {}},
      {"", "model", {}},
      {"", "llm", {}},
  };
  return kAll;
}

}  // namespace

void make_unsupported(Command& command, const std::string& path) {
  command.hidden = true;
  command.takes_anything = true;
  command.run = [path](Context&, const Command::Words&) -> Result<int> {
    return Error(Code::kUnsupported,
                 fmt::format("`{}` is not supported here: `arena --help` lists what is", path));
  };
}

void add_unsupported_commands(Command& root) {
  for (const Absent& absent : absent_commands()) {
    const std::string parent(absent.parent);
    Command* above = parent.empty() ? &root : root.find(parent);
    if (above == nullptr) continue;  // not of this tree
    Command& command = above->add(absent.name, "Not supported here.");
    command.aliases = absent.aliases;
    make_unsupported(command,
                     fmt::format("arena {}{}{}", parent, parent.empty() ? "" : " ", absent.name));
  }
}

}  // namespace trainyard::cli::arena
