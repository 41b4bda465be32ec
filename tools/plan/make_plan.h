#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "container/engine.h"
#include "env/interpreter.h"
#include "env/python_source.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "plan/predict.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// How far a plan goes: `test` includes the builds that it tests, `publish` everything.
enum class Stage { build, test, publish };

/// Whether a toolkit is found on the machine or made from packages.
enum class ToolkitOrigin { found, made };
struct ToolkitFact {
  std::string exact;  ///< the release found, "13.0.88", or the directory named after the packages
  ToolkitOrigin origin = ToolkitOrigin::found;
};

/// The source of a package.
struct PackageFacts {
  Source source;                   ///< of the sdist and of tests
  Source wheel_source = {};        ///< of wheels
  SourceChange wheel_change = {};  ///< of wheels
};

/// External facts, read once. The plan depends only on these and the matrix.
struct PlanFacts {
  ReleaseVersion version;
  Source source;                            ///< of the sdist and of tests
  std::optional<Source> wheel_source = {};  ///< of wheels
  int64_t source_date_epoch = 0;            ///< of the sdist
  SourceChange wheel_change = {};           ///< of wheels
  std::string commit;                       ///< HEAD: 40 digits; empty outside git
  std::string tag = {};         ///< of a release of this version; empty if its commit has none
  std::string repository = {};  ///< on GitHub, "OWNER/NAME"; empty if unknown
  std::string pinwheel = {};    ///< the version of pinwheel
  std::string machine = "x86_64";
  std::map<std::string, ToolkitFact> toolkits;     ///< by `env::toolkit_digest`
  std::string toolchain;                           ///< version output of the host's compiler
  std::map<std::string, std::string> resolutions;  ///< request digest -> resolution digest
  std::map<std::string, std::string> images;       ///< digest of container settings -> content key
  /// Digest of container settings -> the Python of an image for tests.
  std::map<std::string, env::Interpreter> image_pythons = {};
  std::map<std::string, std::string>
      variables;  ///< allow-listed variables of the host that affect a build
  std::map<std::string, PackageFacts> family = {};  ///< by name: the other packages of a family
  Durations durations = {};                         ///< from the journal of earlier runs
};

/// A digest of the sources of all packages; that of the only source without a family.
std::string source_digest(const PlanFacts& facts);

struct PlanOptions {
  Stage stage = Stage::test;
  std::vector<std::string> targets = {};  ///< publish targets; also determine the names of wheels
  container::Engine engine =
      container::Engine::host;  ///< keys only distinguish containers from the host
  env::PythonSource python = env::PythonSource::venv;
  /// Images to use instead of the matrix's: a base by globs on a variant's compute and arch,
  /// `COMPUTE`, `@ARCH` or `COMPUTE@ARCH`, or any image by its name -> image; the first match wins.
  std::vector<std::pair<std::string, std::string>> bases = {};
  /// The target from which the files are promoted to the other targets; empty: each gets them from
  /// the builds.
  std::string through = {};
};

/// The environments that a plan of this outline needs, for the caller to resolve before the plan is
/// made. Sorted, without duplicates.
Result<std::vector<env::Request>> requests_of(const matrix::Matrix& matrix,
                                              const matrix::Expansion& expansion,
                                              const Outline& outline, const PlanOptions& options);

/// The whole plan: environments, builds, tests, sdist, publishing, in topological order, each with
/// its key. `expansion` covers the whole matrix, so that keys do not depend on the selection.
Result<Plan> make_plan(const matrix::Matrix& matrix, const matrix::Expansion& expansion,
                       const Outline& outline, const PlanFacts& facts, const PlanOptions& options);

/// The steps of `make_plan` without keys and actions, with the guesses of their times: the facts'
/// durations do not count. Does not check the names of wheels (`name_wheels`).
Result<std::vector<TimedStep>> make_timed_steps(const matrix::Matrix& matrix,
                                                const matrix::Expansion& expansion,
                                                const Outline& outline, const PlanFacts& facts,
                                                const PlanOptions& options);

}  // namespace pinwheel::plan
