#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ports/files.h"

namespace pinwheel::host {

/// Where the Pythons that pinwheel fetches are, below the cache.
inline constexpr const char* kFetchedPlace = "pythons";

/// Where uv puts the Pythons that pinwheel fetches; conda's are beside it, in prefixes of their
/// own.
std::filesystem::path fetched_by_uv(const std::filesystem::path& cache);

/// Programs of Pythons that need not be on PATH and may be of the version `wanted` (any if empty):
/// pyenv's (PYENV_ROOT, ~/.pyenv), uv's (UV_PYTHON_INSTALL_DIR, ~/.local/share/uv/python), those of
/// a runner of GitHub's (RUNNER_TOOL_CACHE), those of conda environments
/// (~/.conda/environments.txt, CONDA_PREFIX, MAMBA_ROOT_PREFIX, the root of CONDA_EXE) and those
/// that pinwheel fetched into its cache. Of pyenv, uv and a runner the newest first.
std::vector<std::string> installed_pythons(ports::Files& files,
                                           const std::map<std::string, std::string>& variables,
                                           const std::filesystem::path& cache,
                                           const std::string& wanted);

}  // namespace pinwheel::host
