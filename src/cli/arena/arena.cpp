#include "cli/arena/arena.h"

#include "base/files/folder_entries.h"
#include "cli/arena/commands.h"
#include "cli/arena/context.h"

#include <fmt/format.h>

#include <filesystem>

namespace trainyard::cli::arena {
namespace {

constexpr const char* kAbout =
    "Arena submits training jobs, and shows what became of them.\n\n"
    "  arena submit pytorch --name mnist --gpus 1 --image pytorch \"python train.py\"\n"
    "  arena list\n"
    "  arena get mnist\n"
    "  arena logs -f mnist\n"
    "  arena top node";

void add_global_flags(Command& root, GlobalFlags& globals) {
  FlagSet& flags = root.flags;
  flags.text("namespace", 'n', globals.ns, "NAMESPACE", "the namespace of the job");
  flags.text("config", 0, globals.kubeconfig, "FILE", "the kubeconfig of the cluster");
  flags.text("loglevel", 0, globals.loglevel, "LEVEL", "debug, info, warn or error");
  flags
      .text("arena-namespace", 0, globals.arena_namespace, "NAMESPACE",
            "where the operators and Arena's own settings are")
      .once_called("arenaNamespace");
  for (const char* name : {"pprof", "trace", "helm-binary"}) {
    Flag& flag = flags.toggle(name, 0, globals.ignored, "");
    flag.set = [](const std::string&) -> Result<> { return Ok(); };
    flag.hide();
  }
}

std::unique_ptr<Command> make_tree(GlobalFlags& globals) {
  auto root = std::make_unique<Command>();
  root->name = "arena";
  root->summary = kAbout;
  add_global_flags(*root, globals);
  add_commands(*root);
  return root;
}

int fail(const Log& log, const Error& error) {
  log.error(error.message());
  return 1;
}

}  // namespace

int run(const std::vector<std::string>& words, const Flags& flags) {
  SystemClock clock;
  Log log(clock);
  GlobalFlags globals;
  const std::unique_ptr<Command> root = make_tree(globals);
  const auto line = parse_line(*root, words);
  if (!line) return fail(log, line.error());
  for (const std::string& notice : line->notices) fmt::print(stderr, "{}\n", notice);
  if (line->wants_help || line->lacks_words) {
    fmt::print("{}", help_text(*root, *line));
    return line->wants_help ? 0 : fail(log, Error(Code::kInvalid, line->command->missing));
  }
  const auto level = parse_level(globals.loglevel);
  if (!level) return fail(log, level.error());
  log.set_least(*level);
  auto config = load_config();
  if (!config) return fail(log, config.error());
  Context context(flags, globals, *std::move(config), log);
  const auto code = line->command->run(context, line->words);
  return code ? *code : fail(log, code.error());
}

std::optional<Invocation> find_invocation(const std::string& program,
                                          const std::vector<std::string>& words) {
  Invocation found;
  if (std::filesystem::path(program).filename() == "arena") {
    found.words = words;
    return found;
  }
  FlagSet own;
  std::string data_dir;
  own.text("data-dir", 0, data_dir, "DIR", "");
  own.text("kubeconfig", 0, found.flags.kubeconfig, "FILE", "");
  own.text("context", 0, found.flags.context, "NAME", "");
  own.text("namespace", 'n', found.flags.ns, "NAMESPACE", "");
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "arena") {
      if (!data_dir.empty()) found.flags.data_dir = from_root(data_dir);
      found.words.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      return found;
    }
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    Flag* flag = name.starts_with("--") ? own.find(std::string_view(name).substr(2))
                 : name == "-n"         ? own.find('n')
                                        : nullptr;
    if (flag == nullptr) return std::nullopt;
    const bool apart = equals == std::string::npos;
    if (apart && ++i == words.size()) return std::nullopt;
    if (!flag->set(apart ? words[i] : words[i].substr(equals + 1))) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace trainyard::cli::arena
