#pragma once

#include "base/result.h"

#include <optional>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace trainyard::cli {

/// Whether nothing was asked for at all.
bool is_bare(const CLI::App& app, const CLI::ParseError& problem);
/// What is wrong with a command line, with what was probably meant. Nothing: the parser's own words
/// are good, as for --help.
std::optional<Error> explain_parse_error(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace trainyard::cli
