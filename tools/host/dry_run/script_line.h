#pragma once
#include <string>

#include "ports/process.h"

namespace pinwheel::host {

/// A placeholder for a variable of the script: in quoted words it is put outside the quotes, so
/// that it is expanded when the script runs. `name` is letters, digits and `_`.
std::string script_variable(const std::string& name);

/// An argument as a bash word, quoted except for the script's own variables.
std::string script_word(const std::string& argument);

/// A command as a line of bash: its directory, exactly its environment, its argv, all quoted.
std::string script_line(const ports::Command& command);

}  // namespace pinwheel::host
