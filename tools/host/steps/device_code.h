#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/steps/build_site.h"
#include "host/steps/step_context.h"
#include "plan/outcome.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The name of the directory below a build's root that contains the programs of plan/device_code.h
/// and their outputs.
inline constexpr const char* kDeviceCodeName = "device-code";

/// For a build that takes device code from the steps that it needs, or stores it for another one:
/// writes the programs, unpacks the outputs of the needed steps, and adds the launchers of nvcc to
/// the command, except those that the matrix sets itself. `environment` if the build does not see
/// its files at the fixed path, because every output contains its path; `check` for an archive that
/// is not one of device code.
Done add_device_code(const StepContext& context, const BuildSite& site, ports::Command& command);

/// The result of the build's command: an error if the build could not be split.
Done judge_device_use(const StepContext& context, const BuildSite& site, Done ran);

/// Packs what the programs have stored into a file of the output directory.
Result<plan::Output> deliver_device_code(const StepContext& context);

/// What a split build compiled again.
std::vector<std::string> device_code_warnings(const StepContext& context, const BuildSite& site);

}  // namespace pinwheel::host
