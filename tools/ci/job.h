#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pinwheel::ci {

inline constexpr const char* kHostedRunner = "ubuntu-24.04";

/// Where a job runs: on `kHostedRunner`; or once for each row of device code, of builds, of tests
/// or of installations, on the runner of the row.
enum class JobRunner { hosted, of_devices, of_builds, of_tests, of_installs };

/// What a job may do beyond the workflow's `contents: read`: request a token that proves its
/// identity to an index or to Sigstore, write to the repository, or read the artifacts of other
/// runs, and also comment on pull requests.
enum class JobPermission { usual, identity, signing, contents, signed_contents, results, comment };

/// A job of a workflow: `ci generate` writes it as YAML, `ci explain` as text.
struct Job {
  std::string id;                        ///< "publish-pypi"
  std::string name;                      ///< for people: "publish to pypi"; with rows the id
  std::string because;                   ///< why it exists
  std::vector<std::string> needs = {};   ///< ids of the jobs that it waits for
  std::string condition = {};            ///< of GitHub; empty: all of `needs` succeeded
  JobRunner runner = JobRunner::hosted;  ///< not `hosted`: its rows have names and limits, too
  std::string rows = {};  ///< the expression for the rows as a JSON text; empty: the job has none
  std::string container = {};  ///< the image in which it runs; empty: the system of its runner
  int minutes = 0;             ///< about how long it takes; 0 with rows
  int limit = 30;              ///< the time limit in minutes, unless a row has a lower one
  std::vector<std::pair<std::string, std::string>> outputs = {};  ///< name and expression
  std::string environment = {};                                   ///< that protects it; empty: none
  JobPermission permission = JobPermission::usual;
  std::string group = {};  ///< of jobs that run one after another; empty: none
  std::string steps = {};  ///< the items of the list, as YAML
};

std::vector<std::string> ids_of(const std::vector<Job>& jobs);

/// The job below `jobs:`, with a final newline.
std::string yaml_of(const Job& job);

}  // namespace pinwheel::ci
