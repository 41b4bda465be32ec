#pragma once
#include "conda/conda_client.h"
#include "env/classify.h"

namespace pinwheel::conda {

/// Why a conda client failed, as an error with the client's whole explanation. `what` starts the
/// message: "solving the conda packages". `rattler` reports the kind itself.
Error conda_failure(CondaKind kind, const ports::Captured& ran, std::string_view what);

}  // namespace pinwheel::conda
