#pragma once
#include <map>
#include <string>
#include <string_view>

namespace pinwheel::env {

/// Whether a user's variable configures network access: proxies and certificates, in upper or lower
/// case.
bool is_network_variable(std::string_view name);

/// Whether a user's variable configures where pip finds packages and how it requests them.
/// Variables that control the target of an installation (`PIP_TARGET`, `PIP_USER`, ...) do not
/// count: pinwheel sets the target, for its own calls of pip and for those of a build.
bool is_pip_setting(std::string_view name);

/// Whether a user's variable reaches builds and tests because it affects only caches, speed and the
/// network.
bool passes_to_builds(std::string_view name);

/// The variables that helper programs see, all of them together: probes of `doctor` and of
/// planning, pip, conda, container clients, git, and the user's variables that builds get. They
/// contain no tokens and passwords of other tools. docs/environments.md lists them all.
std::map<std::string, std::string> helper_variables(const std::map<std::string, std::string>& user);

/// The helper programs that pinwheel runs, grouped by the variables that configure them.
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

/// Removes the variables that configure other helpers. Names that no helper knows stay: those of a
/// container's image.
std::map<std::string, std::string> variables_for(Helper helper,
                                                 std::map<std::string, std::string> variables);

}  // namespace pinwheel::env
