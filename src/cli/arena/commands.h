#pragma once

#include "cli/arena/command.h"
#include "cli/arena/context.h"

/// Each function hangs commands onto the tree; the variables of their flags live in what `run`
/// captures.
namespace trainyard::cli::arena {

/// All of them, in the order of the help.
void add_commands(Command& root);

void add_submit_commands(Command& root);
void add_delete_command(Command& root);
void add_attach_command(Command& root);
void add_prune_command(Command& root);
void add_completion_commands(Command& root);
void add_unsupported_commands(Command& root);
void add_own_commands(Command& root);  // version, whoami, completion

/// Answers for a command of Arena's that is not here.
void make_unsupported(Command& command, const std::string& path);

}  // namespace trainyard::cli::arena
