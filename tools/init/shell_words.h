#pragma once
#include <string>
#include <vector>

namespace pinwheel::init {

/// A command line of cibuildwheel as an argument list of a matrix: `{project}`, `{package}` and
/// `{wheel}` stay placeholders, other braces are doubled. A command that needs a shell becomes
/// `sh -c COMMAND`.
std::vector<std::string> matrix_command(const std::string& command);

/// Whether a command needs a shell: it has operators, variables or globs outside of quotes.
bool needs_shell(const std::string& command);

/// The words of a command that does not need a shell, with quotes and backslashes resolved.
std::vector<std::string> shell_words(const std::string& command);

}  // namespace pinwheel::init
