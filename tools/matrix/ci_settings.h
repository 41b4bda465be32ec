#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace pinwheel::matrix {

/// Labels for `runs-on`. The pattern is a glob on computes, with `@ARCH` behind it for one
/// architecture, or `default`.
struct RunnerRule {
  std::string pattern;
  std::vector<std::string> labels;
  Location at;
};

/// What makes a driver where a runner with a GPU has none. The pattern is that of a `RunnerRule`.
struct DriverRule {
  std::string pattern;
  std::string command;  ///< for bash
};

/// What happens to the runs of a pull request that a newer commit has made pointless.
enum class Outdated { cancel, queue };

/// How far the jobs of a pull request from a fork go.
enum class ForkJobs { build, test };

/// Where the steps of jobs run: on the runner's own system, or in containers of this engine.
/// `automatic`: in containers of Docker if a variant of the workflow has `environment.container`
/// and the jobs have none themselves.
enum class JobEngine { automatic, host, docker, podman };

/// What jobs run in, where the runner's own system does not do.
struct JobContainer {
  std::string image = {};    ///< empty: the runner's own system
  std::string prepare = {};  ///< a command for its shell that installs what every job needs
};

/// `ci`: what workflows need beside the variants. Without the section the defaults run everything
/// that needs no GPU on hosted runners.
struct CiSettings {
  std::string name = {};                       ///< tells the files of several matrices apart
  std::vector<std::string> paths = {};         ///< filters of pushes and pull requests; empty: all
  std::string nightly = "17 3 * * *";          ///< cron, UTC
  std::vector<std::string> tags = {"v*"};      ///< whose push starts a release
  std::vector<RunnerRule> build_runners = {};  ///< in the order of the file
  std::vector<RunnerRule> test_runners = {};
  std::vector<DriverRule> drivers = {};  ///< in the order of the file
  JobContainer container = {};           ///< of all jobs
  JobEngine engine = JobEngine::automatic;
  std::chrono::seconds timeout = std::chrono::hours(6);  ///< of one job
  Outdated concurrency = Outdated::cancel;
  std::map<std::string, std::string> environments = {};  ///< target -> environment of its job
  ForkJobs forks = ForkJobs::test;
  std::chrono::seconds retention = std::chrono::hours(14 * 24);  ///< of artifacts of no release
  std::string store = {};  ///< a place beside the artifacts; empty: artifacts alone carry results
};

}  // namespace pinwheel::matrix
