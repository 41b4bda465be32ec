#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "env/toolkit.h"
#include "host/machine/fixed_path.h"
#include "host/provision/python_environments.h"
#include "host/steps/build_command.h"
#include "host/steps/step_context.h"

namespace pinwheel::host {

/// The prepared inputs of a build: its base environment, its toolkit, and its directories below the
/// attempt's scratch, with the source in `src`.
struct BuildSite {
  BaseEnvironment base;
  std::optional<env::Toolkit> toolkit;
  BuildSpace space;
  /// Variables of the toolkit, with paths as the build sees them; PATH includes the conda prefix.
  std::map<std::string, std::string> toolkit_variables;
  std::string path;  ///< the user's PATH as the build sees it
  /// The package in the checkout, which people edit; empty for an sdist.
  std::filesystem::path checkout = {};

  BuildSetting setting(const StepContext& context) const;
};

/// Creates the environment if it does not exist, finds the toolkit, exports the source. The
/// machine's toolkits are hidden from a build without a toolkit, unless a variable that the matrix
/// sets (`chosen`) configures one.
Result<BuildSite> prepare_site(const StepContext& context, const env::Request& request,
                               const plan::Source& source, int64_t epoch,
                               const std::map<std::string, std::string>& chosen);

/// The inputs of a build of a wheel or an sdist.
template <class Build>
Result<BuildSite> prepare_site(const StepContext& context, const Build& action) {
  return prepare_site(context, action.environment, action.source, action.source_date_epoch,
                      action.variables);
}

/// The base environment of a request, from its recorded resolution.
Result<BaseEnvironment> base_environment(const StepContext& context, const env::Request& request);

/// Whether a wheel of that compute type can only be loaded on this machine: it is for CUDA, and
/// there is no GPU.
bool loads_only(const StepContext& context, const std::string& compute);

/// The environment that wheels of that compute type are tested in. If they can only be loaded, it
/// is a separate one without NVIDIA's packages: stub libraries replace gigabytes.
Result<BaseEnvironment> test_environment(const StepContext& context, const env::Request& request,
                                         const std::string& compute);

/// Runs a command of the build to completion, with its output in the attempt's log. A failure has
/// the kind from `classify_compiler`, and the source location that the compiler reported; `what` is
/// the beginning of the message.
Done run_logged(const StepContext& context, const BuildSite& site, ports::Command command,
                const std::string& what);

/// A source location that the compiler of a build reported, in the package's own files, where a
/// person edits them: relative to the current directory if it is below that, else absolute. Nullopt
/// if it is not one of the source's files: a header of a library, a file that the build made.
std::optional<Location> checkout_place(const BuildSpace& space,
                                       const std::filesystem::path& package, Location named);

/// The only file in a directory whose name ends in `suffix`; `check`, with a list of files, if
/// there is none or more than one.
Result<std::filesystem::path> only_file(const StepContext& context,
                                        const std::filesystem::path& directory,
                                        const std::string& suffix);

}  // namespace pinwheel::host
