#include "cli/arena/views/view_commands.h"

#include <fmt/format.h>

#include <cstdio>

namespace trainyard::cli::arena {

void add_view_commands(Command& root) {
  add_list_command(root);
  add_get_command(root);
  add_logs_command(root);
  add_top_commands(root);
  add_data_commands(root);
}

void add_type_flag(FlagSet& flags, std::string& type) {
  flags
      .text("type", 'T', type, "TYPE",
            "the type of the job: pytorchjob (pytorch, py), tfjob (tf), mpijob (mpi)")
      .offering(Offer::kType);
}

void add_output_flag(FlagSet& flags, std::string& output) {
  flags.text("output", 'o', output, "FORMAT",
             "json, yaml, or wide: the layout of Arena's newer releases");
}

void add_namespaces_flag(FlagSet& flags, bool& all_namespaces) {
  flags.toggle("all-namespaces", 'A', all_namespaces, "of all namespaces").or_else("allNamespaces");
}

Result<> check_output(const std::string& output, bool names) {
  if (output.empty() || output == "json" || output == "yaml" || output == "wide") return Ok();
  if (names && output == "name") return Ok();
  return Error(Code::kInvalid,
               fmt::format("unknown output format \"{}\": it is json, yaml or wide", output));
}

void print_text(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace trainyard::cli::arena
