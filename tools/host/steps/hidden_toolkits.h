#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine/fixed_path.h"
#include "host/steps/step_context.h"
#include "host/steps/supplier.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The means that hide the CUDA and ROCm toolkits of a machine from a build for no GPU: projects
/// and torch look for a toolkit, and compile for it.
struct HiddenToolkits {
  std::string path = {};                  ///< PATH as the build sees it, without their compilers
  std::vector<ports::Mount> covers = {};  ///< over their usual places, for `BuildSpace::cover`
  /// For Python, if the directories themselves cannot be hidden: torch does not search them.
  std::map<std::string, std::string> variables = {};
};

/// Hides the toolkits from the builds in `space`, whose root exists. A machine whose builds can
/// have mounts has no such directory below `/usr/local` and `/opt`, and an image has an empty one.
/// If one of the variables `chosen` by the matrix configures a toolkit, only PATH changes.
/// `environment` if a directory cannot be made, or the image cannot be queried.
Result<HiddenToolkits> hide_toolkits(const StepContext& context, const BuildSpace& space,
                                     const std::map<std::string, std::string>& chosen);

/// A search path on which these programs are not found, and every other program is: a directory
/// that has one of them is replaced by one below the build's root, with a link to each of its other
/// files, which `supplier` makes. `path` has directories of the host. `environment` if such a
/// directory cannot be made.
Result<std::string> path_without(const std::string& path, const std::vector<std::string>& programs,
                                 const BuildSpace& space, Supplier& supplier);

/// The text of a module `sitecustomize`, which Python imports at startup: torch's module that looks
/// for a toolkit then finds none. It also runs the `sitecustomize` that it replaces.
std::string_view site_customize();

/// Whether variables that the matrix sets configure a toolkit, which is then not hidden.
bool choose_toolkit(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
