#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "env/request.h"
#include "ports/process.h"

namespace pinwheel::conda {

/// `uv python install` into a directory of pinwheel's: nothing is added to the user's PATH.
/// `version` is "3.13" or "3.13t".
ports::Command install_by_uv(const std::string& uv, const std::string& version,
                             const std::string& directory,
                             const std::map<std::string, std::string>& user);

/// Why uv did not install it, according to its output: `transient` without a network, else
/// `environment`.
Error uv_failure(const std::string& version, std::string_view printed);

/// A conda prefix with that Python and only its dependencies; without channels, from conda-forge.
env::Request conda_python(const std::string& version, std::vector<std::string> channels);

/// The error after every way was tried; `transient` if every way failed with that kind.
Error not_fetched(const std::string& version, std::vector<Error> tried);

}  // namespace pinwheel::conda
