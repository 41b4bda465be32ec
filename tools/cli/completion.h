#pragma once
#include <string>

#include "base/result.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// A completion script for bash, zsh or fish, or the man page (`man`), generated from the parser so
/// that it is always up to date. Any other shell is a `usage` error.
Result<std::string> make_completion(const CLI::App& app, const std::string& shell);

}  // namespace pinwheel::cli
