#include "cli/arena/commands.h"

#include "cli/arena/views/view_commands.h"

namespace trainyard::cli::arena {

void add_commands(Command& root) {
  add_submit_commands(root);
  add_view_commands(root);
  add_delete_command(root);
  add_attach_command(root);
  add_prune_command(root);
  add_own_commands(root);
  add_completion_commands(root);
  add_unsupported_commands(root);
}

}  // namespace trainyard::cli::arena
