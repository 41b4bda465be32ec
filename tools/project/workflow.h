#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pinwheel::project {

/// The facts in a GitHub Actions workflow about the variants of a package. Computed values (`${{
/// ... }}`) are left out.
struct Workflow {
  std::vector<std::string> pythons = {};  ///< of keys such as `python-version`, "3.12", "3.13t"
  std::vector<std::string> cudas = {};    ///< of keys with `cuda` in them, "12.6", without patch
  std::vector<std::string> torches = {};  ///< of keys with `torch` in them, "2.10", without patch
  /// `CIBW_*`, of the workflow, its jobs and its steps, in order.
  std::vector<std::pair<std::string, std::string>> cibuildwheel = {};
  std::vector<std::string> computed = {};  ///< the `CIBW_*` with computed values

  bool operator==(const Workflow&) const = default;
};

/// Reads a workflow. `file` is its path for messages. `config` if it is not valid YAML.
Result<Workflow> parse_workflow(std::string_view text, const std::string& file);

/// Merges the facts of two workflows; a value that is in both is listed once.
Workflow merged(Workflow first, const Workflow& second);

}  // namespace pinwheel::project
