#pragma once
#include <filesystem>

#include "base/result.h"
#include "init/project_facts.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::prepare {

/// What the build files at the top of a project say: pyproject.toml, setup.cfg, setup.py,
/// CMakeLists.txt, meson.build, Cargo.toml and PKG-INFO. `usage` if the directory is missing or
/// holds no Python project, `config` if pyproject.toml is not valid; any other file that cannot be
/// read is listed as unread.
Result<init::ProjectFacts> read_build_files(ports::Files& files,
                                            const std::filesystem::path& directory);

/// The same with workflows, sources and further CMake and Meson files: those that git tracks or
/// would, outside of a repository all; tests, documentation and vendored code count for nothing.
/// Takes the tags of the repository. Nothing of the project is run.
Result<init::ProjectFacts> read_project(ports::Files& files, ports::Git& git,
                                        const std::filesystem::path& directory);

/// The releases of torch that the table of exports has, with their Pythons, ascending.
Result<std::vector<init::KnownTorch>> known_torches(ports::Files& files);

}  // namespace pinwheel::prepare
