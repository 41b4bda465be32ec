#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pinwheel::ci {

inline constexpr const char* kHostedRunner = "ubuntu-24.04";

/// Where a job runs: on `kHostedRunner`; or once for each row of builds or of tests, on the runner
/// of the row.
enum class JobRunner { hosted, of_builds, of_tests };

/// A job of a workflow: `ci generate` writes it as YAML, `ci explain` as text.
struct Job {
  std::string id;                        ///< "publish-pypi"
  std::string name;                      ///< that people see: "publish to pypi"; with rows the id
  std::string because;                   ///< why it exists
  std::vector<std::string> needs = {};   ///< ids of the jobs that it waits for
  std::string condition = {};            ///< of GitHub; empty: all of `needs` succeeded
  JobRunner runner = JobRunner::hosted;  ///< not `hosted`: its rows have names and limits, too
  std::string rows = {};  ///< the expression whose value is the rows, a JSON text, if it has any
  std::string container = {};  ///< the image that it runs in; empty: the system of its runner
  int minutes = 0;             ///< about how long it takes; 0 with rows
  int limit = 30;              ///< after how many minutes it is stopped, unless a row says less
  std::vector<std::pair<std::string, std::string>> outputs = {};  ///< name and expression
  std::string environment = {};                                   ///< that protects it; empty: none
  bool trusted = false;    ///< it may ask for a token that proves its identity to an index
  std::string group = {};  ///< of jobs that run one after the other; empty: none
  std::string steps = {};  ///< the items of the list, as YAML
};

std::vector<std::string> ids_of(const std::vector<Job>& jobs);

/// The job as it stands below `jobs:`, with a final newline.
std::string yaml_of(const Job& job);

}  // namespace pinwheel::ci
