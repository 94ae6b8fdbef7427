#include "cli/arena/commands/completion_plan.h"

#include "cli/arena/types.h"

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

void add_flag_names(const FlagSet& flags, std::vector<std::string>& words) {
  for (const Flag& flag : flags.all()) {
    if (!flag.hidden) words.push_back("--" + flag.name);
  }
}

/// The flag that a word writes and whose value is to follow.
Flag* open_flag(Command& root, Command& command, const std::string& word) {
  Flag* flag = nullptr;
  if (word.starts_with("--")) {
    const std::string_view name = std::string_view(word).substr(2);
    flag = command.flags.find(name);
    if (flag == nullptr) flag = root.flags.find(name);
  } else if (word.size() == 2 && word.starts_with('-')) {
    flag = command.flags.find(word[1]);
    if (flag == nullptr) flag = root.flags.find(word[1]);
  }
  return flag != nullptr && !flag->is_switch() ? flag : nullptr;
}

/// Words that the server need not be asked for.
void add_offered(Offer offer, const std::vector<std::string>& choices,
                 std::vector<std::string>& words) {
  if (offer == Offer::kChoice) words.insert(words.end(), choices.begin(), choices.end());
  if (offer != Offer::kType) return;
  for (const TrainingType& type : training_types()) words.push_back(type.name);
}

}  // namespace

CompletionPlan plan_completion(Command& root, const std::vector<std::string>& line) {
  CompletionPlan plan;
  Command* command = &root;
  Flag* open = nullptr;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (open != nullptr) {
      if (open->name == "namespace") plan.ns = line[i];
      open = nullptr;
    } else if (Command* child = command->find(line[i])) {
      command = child;
    } else if (line[i].starts_with('-')) {
      open = open_flag(root, *command, line[i]);
    } else if (plan.job.empty()) {
      plan.job = line[i];
    }
  }
  const std::string last = line.empty() ? "" : line.back();
  if (open != nullptr) {
    plan.offer = open->offer;
    add_offered(open->offer, open->choices, plan.words);
  } else if (last.starts_with('-')) {
    add_flag_names(command->flags, plan.words);
    if (command != &root) add_flag_names(root.flags, plan.words);
  } else if (!command->children.empty()) {
    for (const auto& child : command->children) {
      if (!child->hidden) plan.words.push_back(child->name);
    }
  } else {
    plan.offer = command->offer;
    add_offered(command->offer, command->word_choices, plan.words);
  }
  std::erase_if(plan.words, [&](const std::string& word) { return !word.starts_with(last); });
  std::sort(plan.words.begin(), plan.words.end());
  return plan;
}

}  // namespace trainyard::cli::arena
