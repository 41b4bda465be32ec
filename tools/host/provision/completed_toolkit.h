#pragma once
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "env/toolkit.h"
#include "ports/files.h"

namespace pinwheel::host {

/// The packages of NVIDIA that torch requires, in an environment: `<site-packages>/nvidia` has a
/// directory for each, or one for all of a CUDA ("cu13"), with `include` and `lib`.
///
/// A CUDA toolkit that lacks headers of theirs, such as `cusparse.h`, which torch's own headers
/// include, is completed: `directory` becomes a prefix of links to the toolkit and, for what it
/// lacks, to these packages, with the names that linkers look for. Nothing is copied, and what the
/// toolkit has stays its own. nullopt if nothing is missing, or the toolkit is not in the usual
/// layout. `environment` if a link cannot be made.
Result<std::optional<env::Toolkit>> complete_toolkit(ports::Files& files,
                                                     const env::Toolkit& toolkit,
                                                     const std::filesystem::path& packages,
                                                     const std::filesystem::path& directory);

}  // namespace pinwheel::host
