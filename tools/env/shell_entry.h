#pragma once
#include <map>
#include <string>
#include <vector>

namespace pinwheel::env {

/// What an interactive shell reads when it starts: a prompt that says where one is. For bash and
/// for any POSIX shell.
std::string shell_settings(const std::string& title);

/// bash where there is one, else `sh`, each with the settings of that file and no others: a
/// user's own would change the environment that the steps see.
std::vector<std::string> interactive_shell(const std::string& settings_file);

/// Of the user's environment what a terminal's programs need to know of it.
std::map<std::string, std::string> terminal_variables(
    const std::map<std::string, std::string>& user);

}  // namespace pinwheel::env
