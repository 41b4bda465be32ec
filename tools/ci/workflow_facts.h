#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "container/engine.h"
#include "matrix/ci_settings.h"
#include "matrix/target_kind.h"

namespace pinwheel::ci {

/// The workflows of a matrix: one file each.
enum class WorkflowSet { ci, nightly, release };

/// How a publish job authenticates: by the identity of the job, with a secret, with the job's own
/// token, which may write to the repository (`contents`) or only read it, with keys of AWS, or not
/// at all.
enum class PublishAuth { trusted, token, contents, reading, aws, none };

/// A target that a workflow publishes to, in a job of its own.
struct PublishJob {
  std::string target;  ///< its name in the matrix
  matrix::TargetKind kind = matrix::TargetKind::pypi;
  PublishAuth auth = PublishAuth::none;
  std::string environment;              ///< that protects the job; empty: none
  std::string directory;                ///< of a directory target: its path in the repository
  std::vector<std::string> names = {};  ///< of the projects that it publishes, in plan order
  matrix::Attesting attestations = matrix::Attesting::automatic;
};

inline bool is_directory(const PublishJob& job) {
  return matrix::place_of(job.kind) == matrix::TargetPlace::directory;
}

/// Everything that determines the text of one workflow.
struct WorkflowFacts {
  WorkflowSet set = WorkflowSet::ci;
  std::string matrix;   ///< the path of the matrix file in the repository
  std::string channel;  ///< the channel for which it plans; empty: by git
  matrix::CiSettings settings = {};
  container::Engine engine = container::Engine::host;  ///< where steps run
  bool submodules = false;                             ///< the repository has some
  bool lfs = false;                                    ///< the repository stores files in Git LFS
  bool emulated = false;  ///< a container has another architecture than the job `plan`
  /// Jobs that compile the device code of split builds, each of at most 256 rows; 0: no build is
  /// split.
  size_t device_chunks = 0;
  size_t build_chunks = 1;  ///< jobs of builds, each of at most 256 rows
  /// Jobs that run one after the other for the same rows of builds, because a build with
  /// `build.checkpoint` may outlast its job; 1: no build may.
  size_t build_links = 1;
  size_t test_chunks = 1;
  size_t install_chunks = 1;             ///< used with `through`
  std::vector<PublishJob> publish = {};  ///< in the order in which they run
  /// The target of the first of them, if the files are installed from there before the others run.
  std::string through = {};
  std::vector<std::string> secrets = {};  ///< variables that builds and tests get from secrets
  /// The value of `uses:`. `$/`, which zizmor prefers, is unknown to runners before 2.336 and on
  /// servers of GitHub Enterprise.
  std::string action = "./.github/actions/pinwheel # zizmor: ignore[self-repository]";
};

/// "pinwheel-ci", with `ci.name` "pinwheel-NAME-ci": the name of the workflow, and of its file
/// without `.yml`.
std::string workflow_name(const matrix::CiSettings& settings, WorkflowSet set);
/// "ci"; also the channel that the set plans, if the matrix declares it.
std::string_view to_string(WorkflowSet set);

/// In the order in which they are generated; `--set` uses these names.
inline constexpr std::array kWorkflowSets = {WorkflowSet::ci, WorkflowSet::nightly,
                                             WorkflowSet::release};

}  // namespace pinwheel::ci
