#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace pinwheel::matrix {

/// Labels for `runs-on`. The pattern is a glob on computes, with `@ARCH` appended for one
/// architecture, or `default`.
struct RunnerRule {
  std::string pattern;
  std::vector<std::string> labels;
  Location at;
};

/// The command that installs a driver on a runner with a GPU and no driver. The pattern is that of
/// a `RunnerRule`.
struct DriverRule {
  std::string pattern;
  std::string command;  ///< for bash
};

/// Whether runs of a pull request are canceled when a newer commit replaces them.
enum class Outdated { cancel, queue };

/// The last jobs for a pull request from a fork.
enum class ForkJobs { build, test };

/// Where the steps of jobs run: on the runner's own system, or in containers of this engine.
/// `automatic`: in containers of Docker if a variant of the workflow has `environment.container`
/// and the jobs have none themselves.
enum class JobEngine { automatic, host, docker, podman };

/// The container of jobs that do not run on the runner's own system.
struct JobContainer {
  std::string image = {};    ///< empty: the runner's own system
  std::string prepare = {};  ///< a command for its shell that installs what every job needs
};

/// `ci`: the settings of workflows besides the variants. Without the section, the defaults run
/// everything that needs no GPU on hosted runners.
/// Whether the comparison of a pull request with its base is also a comment of the pull request.
enum class CommentPolicy { none, written };

/// What a pull request runs: every variant, or those with a step whose key differs from that of the
/// result of the base.
enum class PullRequestRuns { everything, changed_keys };

struct CiSettings {
  std::string name = {};                ///< distinguishes the files of several matrices
  std::vector<std::string> paths = {};  ///< filters of pushes and pull requests; empty: all
  PullRequestRuns pull_requests = PullRequestRuns::everything;
  std::string nightly = "17 3 * * *";          ///< cron, UTC
  std::vector<std::string> tags = {"v*"};      ///< pushing one starts a release
  std::vector<RunnerRule> build_runners = {};  ///< in the order of the file
  std::vector<RunnerRule> test_runners = {};
  std::vector<DriverRule> drivers = {};  ///< in the order of the file
  JobContainer container = {};           ///< of all jobs
  JobEngine engine = JobEngine::automatic;
  std::chrono::seconds timeout = std::chrono::hours(6);  ///< of one job
  Outdated concurrency = Outdated::cancel;
  std::map<std::string, std::string> environments = {};  ///< target -> environment of its job
  ForkJobs forks = ForkJobs::test;
  CommentPolicy comment = CommentPolicy::none;
  std::chrono::seconds retention =
      std::chrono::hours(14 * 24);  ///< of artifacts that belong to no release
  std::chrono::seconds checkpoint_retention =
      std::chrono::hours(7 * 24);  ///< of artifacts with checkpoints, also in a release
  std::string store =
      {};  ///< a place in addition to the artifacts; empty: only artifacts transfer results
};

}  // namespace pinwheel::matrix
