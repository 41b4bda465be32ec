#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "init/project_facts.h"
#include "ports/files.h"
#include "ports/git.h"
#include "prepare/host.h"

namespace pinwheel::prepare {

/// Reads the build files at the top of a project: pyproject.toml, setup.cfg, setup.py,
/// CMakeLists.txt, meson.build, Cargo.toml and PKG-INFO. `usage` if the directory is missing or
/// contains no Python project, `config` if pyproject.toml is not valid; any other file that cannot
/// be read is listed as unread.
Result<init::ProjectFacts> read_build_files(const Host& host,
                                            const std::filesystem::path& directory);

/// The same with workflows, sources and further CMake and Meson files: those that git does not
/// ignore; outside a repository, all. Tests, documentation and vendored code are skipped. Includes
/// the tags of the repository. Runs nothing of the project.
Result<init::ProjectFacts> read_project(const Host& host, const std::filesystem::path& directory);

/// The torch releases in the table of exports, with their Pythons, ascending.
Result<std::vector<init::KnownTorch>> known_torches(
    const std::map<std::string, std::string>& variables, ports::Files& files);

}  // namespace pinwheel::prepare
