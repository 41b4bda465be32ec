#include "host/steps/sibling_wheels.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "host/steps/built_wheel.h"
#include "wheel/required_wheels.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The wheels among the outputs of a build; empty if it has no result.
std::vector<fs::path> wheels_of_build(const std::vector<plan::StepOutcome>& needs,
                                      const std::string& build) {
  std::vector<fs::path> wheels;
  for (const plan::StepOutcome& need : needs) {
    if (need.id != build) continue;
    for (const plan::Output& output : need.outputs) {
      if (output.path.ends_with(".whl")) wheels.emplace_back(output.path);
    }
  }
  return wheels;
}

Result<wheel::NamedWheel> named_wheel(const fs::path& path) {
  TRY(wheel::Metadata metadata, metadata_of(path));
  return wheel::NamedWheel{path.string(), std::move(metadata)};
}

Error not_built(const plan::TestWheel& action, const std::vector<std::string>& siblings) {
  const bool one = siblings.size() == 1;
  std::string command = "pinwheel build";
  for (const std::string& sibling : siblings) command += " --step " + sibling;
  return Error{ErrorKind::usage,
               fmt::format("the wheel of {} requires {} of {}, which {} not built "
                           "yet",
                           quoted(action.build), one ? "that" : "those", quoted_list(siblings),
                           one ? "is" : "are")}
      .with_hint("run " + quoted(command));
}

}  // namespace

std::vector<fs::path> TestedWheels::all() const {
  std::vector<fs::path> paths = {wheel};
  paths.insert(paths.end(), siblings.begin(), siblings.end());
  return paths;
}

Result<std::optional<TestedWheels>> find_wheels(const std::vector<plan::StepOutcome>& needs,
                                                const plan::TestWheel& action) {
  const std::vector<fs::path> built = wheels_of_build(needs, action.build);
  if (built.empty()) return std::nullopt;
  TestedWheels wheels{built.front()};
  if (action.siblings.empty()) return wheels;
  std::vector<wheel::WheelsOfBuild> builds;
  std::vector<std::string> missing;
  for (const std::string& sibling : action.siblings) {
    wheel::WheelsOfBuild& of_build = builds.emplace_back(wheel::WheelsOfBuild{sibling});
    for (const fs::path& path : wheels_of_build(needs, sibling)) {
      TRY(of_build.wheels.emplace_back(), named_wheel(path));
    }
    if (of_build.wheels.empty()) missing.push_back(sibling);
  }
  if (!missing.empty()) return fail(not_built(action, missing));
  TRY(const wheel::NamedWheel tested, named_wheel(wheels.wheel));
  TRY(const std::vector<std::string> paths, wheel::required_wheels(tested, builds));
  wheels.siblings.assign(paths.begin(), paths.end());
  return wheels;
}

}  // namespace pinwheel::host
