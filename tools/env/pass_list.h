#pragma once
#include <map>
#include <string>
#include <string_view>

namespace pinwheel::env {

/// Whether a user's variable configures network access: proxies and certificates, in upper or lower
/// case.
bool is_network_variable(std::string_view name);

/// Whether a user's variable tells pip where to find packages and how to request them. Those that
/// control what is installed where (`PIP_TARGET`, `PIP_USER`, ...) are not: pinwheel decides that,
/// for its own calls of pip and for those of a build.
bool is_pip_setting(std::string_view name);

/// Whether a user's variable reaches builds and tests because it affects only caches, speed and the
/// network.
bool passes_to_builds(std::string_view name);

/// What the programs see, all of them together, that pinwheel itself asks: probes of `doctor` and
/// of planning, pip, conda, container clients, git, and whatever a build gets of the user's
/// variables. Tokens and passwords of other tools are not among it. docs/environments.md names them
/// all.
std::map<std::string, std::string> helper_variables(const std::map<std::string, std::string>& user);

/// The programs that pinwheel asks, by what configures them.
enum class Helper {
  system,  ///< programs of the distribution: uname, getconf, ldconfig
  compiler,
  python,  ///< interpreters and pip
  conda,
  container,
  git,
};

/// By the name of the program, with or without its directory: "nvcc", "/usr/bin/docker",
/// "g++-12"; `system` for any other.
Helper helper_of(std::string_view program);

/// Without the variables that configure other helpers. Names that no helper knows stay: those of a
/// container's image.
std::map<std::string, std::string> variables_for(Helper helper,
                                                 std::map<std::string, std::string> variables);

}  // namespace pinwheel::env
