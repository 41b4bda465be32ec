#pragma once
#include "base/result.h"
#include "cli/gather.h"
#include "cli/options.h"

namespace pinwheel::cli {

/// Whether the images that wheels are tested on are made as well.
enum class TestImages { leave, prepare };

/// Makes the images that the environments of a run need, and enters engine and images into the
/// workplace, and the images' content keys and the Pythons of test images into the facts. Nothing
/// on the host engine. Tells what it pulls or builds.
Done prepare_containers(const Undertaking& what, const LevelOptions& levels, TestImages tests,
                        host::Workplace& workplace, Streams& streams, Facts& facts);

/// The same without making, pulling or tagging anything: images that are not there are left out.
/// `environment` when the engine does not answer.
Done recall_containers(const Undertaking& what, const LevelOptions& levels,
                       host::Workplace& workplace, Facts& facts);

}  // namespace pinwheel::cli
