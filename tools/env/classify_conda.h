#pragma once
#include "env/classify.h"
#include "env/conda_client.h"

namespace pinwheel::env {

/// The same as an error that keeps the client's whole explanation. `what` begins the message:
/// "solving the conda packages". `rattler` gives its own account of the kind.
Error conda_failure(CondaKind kind, const ports::Captured& ran, std::string_view what);

}  // namespace pinwheel::env
