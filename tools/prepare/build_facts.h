#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/action.h"
#include "ports/files.h"
#include "prepare/host.h"
#include "prepare/run_scope.h"
#include "project/pyproject.h"

namespace pinwheel::prepare {

/// A question to a backend: the part that is the same for all its builds.
struct BackendQuestion {
  project::BuildSystem system;
  std::string inputs;  ///< digest of the backend and of the files that decide its answer
};

/// The build requirements of a source, as far as its files state them.
struct SourceRequires {
  std::vector<std::string> texts = {};           ///< PEP 508
  std::optional<BackendQuestion> question = {};  ///< nullopt: there are no others
};

/// Reads `pyproject.toml`, `setup.py` and `setup.cfg` of a source; runs nothing. Empty for a source
/// without a project, whose build is a script of its own. Errors are those of `parse_pyproject`.
Result<SourceRequires> source_requires(ports::Files& files, const std::filesystem::path& source);

/// The source of a package.
struct SourceFacts {
  plan::Source source = {};
  plan::Source wheel_source = {};        ///< the files that every wheel is built from
  plan::SourceChange wheel_change = {};  ///< the last change of `wheel_source`
  SourceRequires build_requires = {};
};

/// The inputs of a build other than its version and packages.
struct BuildFacts {
  SourceFacts package = {};                           ///< the matrix's `package`
  std::map<std::string, SourceFacts> family = {};     ///< by name: the other packages of a family
  std::map<std::string, std::string> variables = {};  ///< the user's variables that affect a build
  std::string toolchain = {};  ///< version text of the host's compiler; empty without one
  /// The user's variables that name device architectures and are ignored, because `build.arch-list`
  /// names them.
  std::map<std::string, std::string> ignored = {};
};

/// `config` if the value of a variable that affects builds is not UTF-8: keys and plans contain it
/// as JSON text. Pure.
Done check_variables(const std::map<std::string, std::string>& variables);

/// The build requirements that the files of each package state, by its name. Pure.
std::map<std::string, std::vector<std::string>> requires_of(const matrix::Matrix& matrix,
                                                            const BuildFacts& facts);

/// The questions to the backends of the packages, by the package's name.
using BackendQuestions = std::map<std::string, BackendQuestion>;
/// Pure.
BackendQuestions backend_questions(const matrix::Matrix& matrix, const BuildFacts& facts);

/// Reads the packages' sources and, for a version of this checkout, their last changes; queries the
/// version of the host's compiler. `recorded` are the variables of the run or plan to repeat, which
/// replace those of the user.
Result<BuildFacts> gather_build_facts(
    const Host& host, const RunScope& scope, const host::Workplace& workplace,
    const std::optional<std::map<std::string, std::string>>& recorded);

/// The variables of a frozen plan or a report that affect the result of a build and are part of its
/// key. Others are dropped, because such a file may come from anywhere. Pure.
std::map<std::string, std::string> deciding_variables(
    const std::map<std::string, std::string>& variables);

/// The source of `package.requirement`, "torch-scatter==2.1.2": its sdist, fetched from the user's
/// indexes and unpacked in the cache once. Errors: `config` if the version is not pinned, and those
/// of host/index/fetch_sdist.h.
Result<plan::Source> sdist_source(const Host& host, const std::string& requirement,
                                  const host::Workplace& workplace);

}  // namespace pinwheel::prepare
