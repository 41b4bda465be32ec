#pragma once
#include <optional>
#include <vector>

#include "base/result.h"
#include "cli/gather.h"
#include "journal/forecast.h"
#include "plan/make_plan.h"

namespace pinwheel::cli {

/// What a run would do now, by what earlier runs left here.
struct Foreseen {
  plan::Plan plan;
  std::vector<journal::Forecast> steps;  ///< in plan order
  std::vector<RecordedResolution> environments;
};

/// Nothing when nothing has been run in the state directory, and for containers whose engine does
/// not answer. Reads the source, the journal, the recorded resolutions and the images that are
/// there; asks no index, makes no image.
Result<std::optional<Foreseen>> foresee(const GlobalOptions& global, const LevelOptions& levels,
                                        const Loaded& loaded, const plan::Outline& outline,
                                        Facts facts);

}  // namespace pinwheel::cli
