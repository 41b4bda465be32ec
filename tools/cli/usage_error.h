#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace pinwheel::cli {

/// The innermost command in argv.
const CLI::App& deepest_command(const CLI::App& app);

/// The error of a command line that the parser rejected, kind `usage`. The hint has the nearest
/// name, or the command that prints the usage.
Error usage_error(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& arguments);

/// The error for an option of the parsed command line whose value is empty: a script with an unset
/// variable would disable the option.
Done refuse_empty_values(const CLI::App& command);

}  // namespace pinwheel::cli
