#pragma once
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "env/toolkit.h"
#include "ports/files.h"

namespace pinwheel::host {

/// The packages of NVIDIA that torch requires, in an environment: `<site-packages>/nvidia` has a
/// directory for each, or one for all packages of a CUDA release ("cu13"), with `include` and
/// `lib`.
///
/// A CUDA toolkit without some of their headers, such as `cusparse.h`, which torch's own headers
/// include, is completed: `directory` becomes a prefix of links to the toolkit and, for the missing
/// parts, to these packages, with the names that linkers look for. Nothing is copied, and the
/// toolkit's own parts take precedence. nullopt if nothing is missing, or the toolkit does not have
/// the usual layout. `environment` if a link cannot be made.
Result<std::optional<env::Toolkit>> complete_toolkit(ports::Files& files,
                                                     const env::Toolkit& toolkit,
                                                     const std::filesystem::path& packages,
                                                     const std::filesystem::path& directory);

}  // namespace pinwheel::host
