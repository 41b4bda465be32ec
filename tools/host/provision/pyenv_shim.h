#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "ports/files.h"

namespace pinwheel::host {

/// Whether this directory of PATH holds pyenv's shims, which are shell scripts: `ROOT/shims` beside
/// `ROOT/versions`.
bool has_pyenv_shims(ports::Files& files, const std::filesystem::path& directory);

/// The program that a shim of pyenv stands for, found without running bash, in the order of
/// `pyenv which`: the versions in PYENV_VERSION, else in the `.python-version` of PYENV_DIR or of a
/// directory above it (without PYENV_DIR or such a file, of `directory`), else in `ROOT/version`. A
/// version may be a prefix, `3.11`. nullopt if none of them has the program: pyenv then takes the
/// next one on PATH.
std::optional<std::filesystem::path> behind_pyenv_shim(
    ports::Files& files, const std::map<std::string, std::string>& variables,
    const std::filesystem::path& shim, const std::filesystem::path& directory);

}  // namespace pinwheel::host
