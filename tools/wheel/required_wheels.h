#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "wheel/metadata.h"

namespace pinwheel::wheel {

/// A wheel of a build, which is finished under several names.
struct NamedWheel {
  std::string path;
  Metadata metadata;
};

/// The wheels of one build.
struct WheelsOfBuild {
  std::string build;  ///< for messages, "build:core"
  std::vector<NamedWheel> wheels = {};
};

/// Chooses the wheels to install together with `tested`, one of each build: those that the tested
/// wheel requires, directly or through each other, whatever the markers say. The names of a target
/// require each other, so the chosen wheels are those of one target. Kind `check` for a build with
/// no wheel that is required.
Result<std::vector<std::string>> required_wheels(const NamedWheel& tested,
                                                 const std::vector<WheelsOfBuild>& builds);

}  // namespace pinwheel::wheel
