#pragma once
#include <optional>
#include <string>
#include <vector>

#include "init/draft.h"
#include "project/cargo_manifest.h"
#include "project/cibuildwheel.h"
#include "project/cmake_lists.h"
#include "project/meson_build.h"
#include "project/pyproject.h"
#include "project/setup_cfg.h"
#include "project/setup_py.h"
#include "project/source_scan.h"
#include "project/tool_tables.h"
#include "project/version_place.h"
#include "project/workflow.h"

namespace pinwheel::init {

/// A release of torch, "2.13", and the Pythons for which it has builds, "3.12", "3.14t".
struct KnownTorch {
  std::string release;
  std::vector<std::string> pythons = {};

  bool operator==(const KnownTorch&) const = default;
};

/// The facts read from the `PKG-INFO` of an sdist.
struct PackageInfo {
  std::string name = {};
  std::string version = {};
  std::string requires_python = {};
  std::vector<std::string> requires_dist = {};
  std::vector<std::string> classifiers = {};
};

/// The facts about a project, found without running its code.
struct ProjectFacts {
  std::string directory = {};    ///< its name, which is the default for the project's name
  std::string requirement = {};  ///< "NAME==VERSION" of an sdist on the index, else empty
  std::string source = "..";     ///< from the matrix file to the project
  /// From the matrix file to the directory that its releases are published to.
  std::string published = "../dist/index";
  std::vector<std::string> wanted_pythons = {};   ///< of `--python`; empty: init chooses
  std::vector<std::string> wanted_computes = {};  ///< of `--compute`; empty: init chooses
  std::vector<std::string> wanted_torches = {};   ///< of `--torch`, ascending; empty: init chooses

  std::optional<project::Pyproject> pyproject = {};
  project::ToolTables tools = {};
  std::optional<project::SetupCfg> setup_cfg = {};
  std::optional<project::SetupPy> setup_py = {};
  std::optional<project::CMakeLists> cmake = {};
  std::optional<project::MesonBuild> meson = {};
  std::vector<project::CargoManifest> cargo = {};
  project::Cibuildwheel cibuildwheel = {};
  project::Workflow workflow = {};
  PackageInfo package_info = {};
  /// The literal that a dynamic version of pyproject.toml is read from.
  std::optional<project::WrittenVersion> written_version = {};
  std::vector<project::ScannedSource> sources = {};

  std::vector<std::string> top_level = {};            ///< the names at the top of the project
  std::optional<std::vector<std::string>> tags = {};  ///< of its repository; none outside git
  std::vector<KnownTorch> torches = {};               ///< ascending
  std::vector<LeftOut> unread = {};                   ///< files that could not be read
};

/// `[build-system] requires`, with the default of a project without one.
std::vector<std::string> build_requires(const ProjectFacts& facts);
/// Its run-time dependencies, from whichever file lists them.
std::vector<std::string> dependencies(const ProjectFacts& facts);
/// `requires-python` as written, empty without one.
std::string requires_python(const ProjectFacts& facts);
std::vector<std::string> classifiers(const ProjectFacts& facts);
/// The requirements of an extra, empty if there is no such extra.
std::vector<std::string> extra_requires(const ProjectFacts& facts, const std::string& extra);
project::Backend backend(const ProjectFacts& facts);
/// Whether setuptools discovers packages itself among the top-level directories of the project. It
/// refuses to build if it finds two, so `init` must not add one. (setuptools, "Package Discovery
/// and Namespace Packages", flat layout.)
bool has_flat_discovery(const ProjectFacts& facts);

/// The requirements on the project `name`, as written.
std::vector<std::string> requirements_on(const std::vector<std::string>& requirements,
                                         const std::string& name);

/// The first source with a mark; nullptr without one.
const project::ScannedSource* source_with(const ProjectFacts& facts, project::SourceMark mark);

}  // namespace pinwheel::init
