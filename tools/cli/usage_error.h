#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace pinwheel::cli {

/// The innermost command in argv.
const CLI::App& deepest_command(const CLI::App& app);

/// The error of a command line that the parser refused, kind `usage`; the hint has the nearest
/// name, or the command that shows the usage.
Error usage_error(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& arguments);

}  // namespace pinwheel::cli
