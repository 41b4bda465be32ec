#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/files.h"
#include "project/pyproject.h"

namespace pinwheel::prepare {

/// What a backend is asked: the part that is the same for all its builds.
struct BackendQuestion {
  project::BuildSystem system;
  std::string inputs;  ///< digest of the backend and of the files that decide its answer
};

/// What the builds of a source require, as far as its files say it.
struct SourceRequires {
  std::vector<std::string> texts = {};           ///< PEP 508
  std::optional<BackendQuestion> question = {};  ///< nullopt: nothing more
};

/// Reads `pyproject.toml`, `setup.py` and `setup.cfg` of a source; runs nothing. Nothing for one
/// without a project, whose build is a script of its own. Errors are those of `parse_pyproject`.
Result<SourceRequires> source_requires(ports::Files& files, const std::filesystem::path& source);

}  // namespace pinwheel::prepare
