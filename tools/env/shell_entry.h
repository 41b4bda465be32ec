#pragma once
#include <map>
#include <string>
#include <vector>

namespace pinwheel::env {

/// Startup commands of an interactive shell: a prompt that shows the environment. For bash and any
/// POSIX shell.
std::string shell_settings(const std::string& title);

/// bash if it is there, else `sh`, with the settings of that file only: the user's own would
/// change the environment that steps see.
std::vector<std::string> interactive_shell(const std::string& settings_file);

/// The part of the user's environment that describes the terminal.
std::map<std::string, std::string> terminal_variables(
    const std::map<std::string, std::string>& user);

}  // namespace pinwheel::env
