#include "cli/completion.h"

#include "cli/arena/commands.h"
#include "cli/arena/commands/completion_plan.h"
#include "cli/arena/types.h"

#include <fmt/format.h>

#include <set>

/// `arena completion SHELL`, and what its script asks.
namespace trainyard::cli::arena {
namespace {

Result<int> print_script(const std::string& shell) {
  if (shell != "bash" && shell != "zsh") {
    return Error(Code::kUnsupported,
                 fmt::format("no completion for {}: bash and zsh are known", shell));
  }
  TRY(std::string script, completion_script(shell));
  constexpr std::string_view kOwnName = "trainyard";
  for (std::size_t at = 0; (at = script.find(kOwnName, at)) != std::string::npos;) {
    script.replace(at, kOwnName.size(), "arena");
  }
  fmt::print("{}", script);
  return 0;
}

/// Names of what a resource has. A line that cannot be completed is no error.
std::set<std::string> names_in(Context& context, const Resource& resource, const std::string& ns,
                               const std::string& labels) {
  std::set<std::string> names;
  const auto session = context.session();
  if (!session) return names;
  client::ListOptions options;
  options.ns = ns.empty() ? context.ns() : ns;
  options.labels = labels;
  const auto listing = (*session)->run((*session)->api().list(resource, options));
  if (!listing) return names;
  for (const ObjectPtr& object : listing->items) names.emplace(name_of(object->body()));
  return names;
}

std::set<std::string> names_offered(Context& context, const CompletionPlan& plan) {
  std::set<std::string> names;
  switch (plan.offer) {
    case Offer::kJob:
      for (const TrainingType& type : training_types()) {
        names.merge(names_in(context, type.resource, plan.ns, "app=" + type.name));
      }
      break;
    case Offer::kInstance:
      names =
          names_in(context, kPods, plan.ns, plan.job.empty() ? "release" : "release=" + plan.job);
      break;
    case Offer::kClaim:
      for (const std::string& name : names_in(context, kVolumeClaims, plan.ns, "")) {
        names.insert(name + ":");
      }
      break;
    default:
      break;
  }
  return names;
}

}  // namespace

void add_completion_commands(Command& root) {
  Command& script = root.add("completion", "Print the script that lets a shell complete commands.");
  script.usage = "bash|zsh";
  script.least_words = script.most_words = 1;
  script.missing = "say for which shell: bash or zsh";
  script.offer = Offer::kChoice;
  script.word_choices = {"bash", "zsh"};
  script.example = "source <(arena completion bash)";
  script.run = [](Context&, const Command::Words& words) { return print_script(words.front()); };

  Command& words = root.add("__complete", "");
  words.hidden = true;
  words.most_words = Command::kAnyNumber;
  words.run = [&root](Context& context, const Command::Words& line) -> Result<int> {
    const CompletionPlan plan = plan_completion(root, line);
    for (const std::string& word : plan.words) fmt::print("{}\n", word);
    for (const std::string& name : names_offered(context, plan)) {
      if (line.empty() || name.starts_with(line.back())) fmt::print("{}\n", name);
    }
    return 0;
  };
}

}  // namespace trainyard::cli::arena
