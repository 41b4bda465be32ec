#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "container/engine.h"
#include "env/python_source.h"
#include "plan/make_plan.h"

namespace pinwheel::plan {

/// The levels of a plan's environments: an engine, a source of Python, images.
struct FrozenLevels {
  container::Engine engine = container::Engine::host;
  env::PythonSource python = env::PythonSource::venv;
  std::vector<std::pair<std::string, std::string>> bases = {};  ///< as `PlanOptions::bases`

  bool operator==(const FrozenLevels&) const = default;
};

/// An image that environments use.
struct FrozenImage {
  std::string base;                       ///< as the matrix or the command line names it
  std::string base_id;                    ///< "sha256:..."
  std::vector<std::string> base_digests;  ///< in registries: "docker.io/debian@sha256:..."
  std::string key;                        ///< content key of the image built on the base
  /// The image's own Python, if wheels are tested with it: "3.11.2", and "cpython".
  std::string python = {};
  std::string implementation = {};

  bool operator==(const FrozenImage&) const = default;
};

/// The decisions that `plan --out` freezes: everything that a later run would otherwise derive from
/// its own date, checkout or index. So every job of a workflow builds the same release.
struct FrozenPlan {
  std::string matrix_digest;  ///< sha256 of the matrix file
  /// The matrix file, relative to the root of its repository; else as given. Empty in plans of an
  /// older pinwheel.
  std::string matrix = {};
  std::string channel;
  std::vector<std::string> targets;
  std::vector<std::string> variants;  ///< the selected ids
  ReleaseVersion version;
  int64_t source_date_epoch = 0;
  SourceChange wheel_change = {};
  std::map<std::string, SourceChange> family_changes = {};  ///< of the other packages, by name
  std::string commit;
  std::string tag = {};         ///< of a release of this version; empty in older plans
  std::string repository = {};  ///< on GitHub, "OWNER/NAME"; empty if unknown
  std::string source_digest;    ///< `plan::source_digest`
  std::string machine;
  FrozenLevels levels = {};
  std::map<std::string, FrozenImage> images = {};  ///< digest of container settings -> image
  /// Request digest -> the resolution's JSON text, so that another machine installs the same
  /// packages.
  std::map<std::string, std::string> resolutions;
  /// The requirements that backends answered, by question (`matrix::BackendAnswer`).
  std::map<std::string, std::vector<std::string>> answers = {};
  /// The patchelf that repairs wheels; empty in plans of an older pinwheel.
  std::string patchelf = {};
  /// The variables that affected builds where the plan was frozen; builds have only these. None in
  /// plans of an older pinwheel: builds have those of their machine.
  std::optional<std::map<std::string, std::string>> variables = {};
  std::vector<std::string> files;  ///< expected wheel names, "name-version-py3-none-*_x86_64.whl"

  bool operator==(const FrozenPlan&) const = default;
};

/// `config` if a name in the plan is not UTF-8, because JSON cannot represent it. Pure.
Done check_names(const FrozenPlan& frozen);

/// JSON, schema `pinwheel-frozen-plan/3`. Bytes that are not UTF-8 are replaced. A report may
/// contain such names; a plan that others run must not: `check_names`.
std::string to_json(const FrozenPlan& frozen);
/// The inverse. `config`, naming `file`, if the text is not such a plan or has an unknown version.
Result<FrozenPlan> parse_frozen_plan(std::string_view text, const std::string& file);

/// A digest of all inputs of a plan's steps. It stays the same if only the day, the version that
/// follows from it, or the machine that froze the plan has changed. `config` if a resolution cannot
/// be read.
Result<std::string> fingerprint(const FrozenPlan& frozen);

/// `drift` if the matrix, the source or patchelf differs from the frozen one.
Done check_frozen(const FrozenPlan& frozen, const std::string& matrix_digest,
                  const std::string& source_digest);

/// `drift`, naming the base, if the image differs from the frozen one.
Done check_image(const FrozenImage& frozen, const std::string& base_id, const std::string& key);

}  // namespace pinwheel::plan
