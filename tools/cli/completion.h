#pragma once
#include <string>

#include "base/result.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// A completion script for bash, zsh or fish, or the man page (`man`), written from the parser's
/// tree so that it cannot drift. Another shell is a `usage` error.
Result<std::string> make_completion(const CLI::App& app, const std::string& shell);

}  // namespace pinwheel::cli
