#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// The libraries of the system that the build files look for, each with the `apt-get` line that
/// installs it: `find_package`, pkg-config, `dependency` of Meson, `libraries` and `-l` flags; and
/// the headers of known libraries that sources include and the project does not have.
std::vector<LeftOut> system_libraries(const ProjectFacts& facts);

/// The packages that a command installs by apt, yum, dnf or apk, without options.
std::vector<std::string> installed_packages(const std::string& command);

/// "apt-get install libssl-dev" for packages of any of these managers, as far as the names are
/// known.
std::string apt_line(const std::vector<std::string>& packages);

}  // namespace pinwheel::init
