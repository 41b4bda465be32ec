#pragma once
#include <optional>
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// A version that a project has as a literal.
struct StaticVersion {
  std::string version;
  std::string file;  ///< the file that contains it
};

/// The version in pyproject.toml, in the file that its backend reads a dynamic one from, setup.cfg,
/// setup.py, Cargo.toml of maturin, meson.build of meson-python or, of an unpacked sdist, PKG-INFO;
/// nullopt if it is computed, or not a version.
std::optional<StaticVersion> static_version(const ProjectFacts& facts);

/// Whether the project's build takes the version from git tags, as setuptools-scm does.
bool uses_tags(const ProjectFacts& facts);

/// The section `package`, and the unclear points about it.
struct Identity {
  std::string name;
  std::vector<MatrixLine> lines;
  std::vector<LeftOut> left_out;
};

/// The name in the project's files, else that of its directory. The version is the static one of
/// the project, else that of git tags, with `match` if the tags do not begin with `v`.
Identity choose_identity(const ProjectFacts& facts);

}  // namespace pinwheel::init
