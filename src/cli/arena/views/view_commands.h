#pragma once

#include "cli/arena/command.h"

#include <string>

/// Commands that show things: list, get, logs, top, data.
namespace trainyard::cli::arena {

void add_view_commands(Command& root);

void add_list_command(Command& root);
void add_get_command(Command& root);
void add_logs_command(Command& root);
void add_top_commands(Command& root);
void add_data_commands(Command& root);

/// -T and -o, as they are everywhere.
void add_type_flag(FlagSet& flags, std::string& type);
void add_output_flag(FlagSet& flags, std::string& output);
void add_namespaces_flag(FlagSet& flags, bool& all_namespaces);
/// Unknown formats are an error that names those there are.
Result<> check_output(const std::string& output, bool names = false);

/// Writes to standard output.
void print_text(const std::string& text);

}  // namespace trainyard::cli::arena
