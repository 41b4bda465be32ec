#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "env/toolkit.h"
#include "host/provision/python_environments.h"
#include "host/steps/build_command.h"
#include "host/steps/step_context.h"

namespace pinwheel::host {

/// Everything a build stands on: its base environment, its toolkit, and its directories below the
/// attempt's scratch with the source in `src`.
struct BuildSite {
  BaseEnvironment base;
  std::optional<env::Toolkit> toolkit;
  BuildSpace space;
  /// Of the toolkit, with paths as the build sees them; PATH has the conda prefix as well.
  std::map<std::string, std::string> toolkit_variables;

  BuildSetting setting(const StepContext& context) const;
};

/// Makes the environment if it is not there, finds the toolkit, exports the source.
Result<BuildSite> prepare_site(const StepContext& context, const env::Request& request,
                               const plan::Source& source, int64_t epoch);

/// The base environment of a request, by its recorded resolution.
Result<BaseEnvironment> base_environment(const StepContext& context, const env::Request& request);

/// Runs a command of the build to its end, its output in the attempt's log. A failure has the kind
/// that `classify_compiler` gives it; `what` begins the message.
Done run_logged(const StepContext& context, const BuildSite& site, ports::Command command,
                const std::string& what);

/// The one file in a directory whose name ends in `suffix`; `check`, naming what is there, when
/// there is none or several.
Result<std::filesystem::path> only_file(const StepContext& context,
                                        const std::filesystem::path& directory,
                                        const std::string& suffix);

}  // namespace pinwheel::host
