#pragma once
#include "env/classify.h"
#include "env/conda_client.h"

namespace pinwheel::env {

/// Why a conda client failed, as an error that keeps the client's whole explanation. `what` starts
/// the message: "solving the conda packages". `rattler` reports the kind itself.
Error conda_failure(CondaKind kind, const ports::Captured& ran, std::string_view what);

}  // namespace pinwheel::env
