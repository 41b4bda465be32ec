#pragma once
/// Build provenance: the statement of how a file was built
/// (https://slsa.dev/spec/v1.2/build-provenance).
#include <map>
#include <string>

#include "plan/outcome.h"
#include "store/entry.h"

namespace pinwheel::plan {

/// The type of the builds. docs/publishing.md documents its parameters.
inline constexpr const char* kBuildType = "urn:pinwheel:build:1";
/// The builder on a machine that runs no CI job.
inline constexpr const char* kLocalBuilder = "urn:pinwheel:machine";

/// The CI job that states the provenance.
struct BuilderJob {
  /// A URI: the workflow on GitHub Actions, the runner on GitLab CI/CD, else `kLocalBuilder`.
  std::string id = kLocalBuilder;
  std::string run = {};         ///< its URL; empty outside a CI job
  std::string repository = {};  ///< the URL of the job's repository; empty outside a CI job
  std::string pinwheel = {};    ///< the version that states the provenance
};

/// The URL of the run to which a job on GitHub Actions belongs, without its attempt; empty unless
/// the variables name the server, the repository and the run.
std::string github_run(const std::map<std::string, std::string>& variables);

/// The job with these variables.
BuilderJob builder_job(const std::map<std::string, std::string>& variables,
                       const std::string& pinwheel);

/// The inputs of a build that its key has only as digests.
struct BuildInputs {
  std::string commit = {};  ///< 40 digits; empty outside git and if tracked files differed from it
  store::InstalledPackages packages = {};  ///< of its environment
};

/// The predicate of the statement about the files of a build, JSON on one line: the parts of the
/// build's key as parameters, its inputs by digest, the builder, and the time if it is known. Equal
/// arguments give equal bytes.
std::string provenance_predicate(const StepOutcome& build, const BuildInputs& inputs,
                                 const BuilderJob& job);

}  // namespace pinwheel::plan
