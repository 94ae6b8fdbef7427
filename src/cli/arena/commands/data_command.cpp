#include "cli/arena/views/data_view.h"
#include "cli/arena/views/load_jobs.h"
#include "cli/arena/views/view_commands.h"

namespace trainyard::cli::arena {
namespace {

Result<int> data_list(Context& context, bool all_namespaces) {
  TRY_OK(context.visibility(all_namespaces));  // says so when the namespace is not there
  TRY(const std::vector<ObjectPtr> claims, load_all(context, kVolumeClaims, all_namespaces));
  TRY(Session* const session, context.session());
  print_text(data_table(claims, session->clock().wall(), all_namespaces));
  return 0;
}

}  // namespace

void add_data_commands(Command& root) {
  Command& data = root.add("data", "Volumes that jobs can use.");
  Command& list = data.add("list", "List the volumes that are ready.");
  list.aliases = {"ls"};
  const auto all_namespaces = std::make_shared<bool>(false);
  add_namespaces_flag(list.flags, *all_namespaces);
  list.example = "arena data list";
  list.run = [all_namespaces](Context& context, const Command::Words&) {
    return data_list(context, *all_namespaces);
  };
}

}  // namespace trainyard::cli::arena
