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

/// What the build files at the top of a project say: pyproject.toml, setup.cfg, setup.py,
/// CMakeLists.txt, meson.build, Cargo.toml and PKG-INFO. `usage` if the directory is missing or
/// holds no Python project, `config` if pyproject.toml is not valid; any other file that cannot be
/// read is listed as unread.
Result<init::ProjectFacts> read_build_files(const Host& host,
                                            const std::filesystem::path& directory);

/// The same with workflows, sources and further CMake and Meson files: those that git tracks or
/// would, outside of a repository all; tests, documentation and vendored code count for nothing.
/// Takes the tags of the repository. Nothing of the project is run.
Result<init::ProjectFacts> read_project(const Host& host, const std::filesystem::path& directory);

/// The releases of torch that the table of exports has, with their Pythons, ascending.
Result<std::vector<init::KnownTorch>> known_torches(
    const std::map<std::string, std::string>& variables, ports::Files& files);

}  // namespace pinwheel::prepare
