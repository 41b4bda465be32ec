#pragma once
#include "env/classify.h"
#include "env/conda_client.h"

namespace pinwheel::env {

/// What the output of a conda client that failed means. A conflict is `config`, a channel that does
/// not answer now `transient`, one that is not there `config`, a file that is not the one that the
/// channel or the list promised `environment`.
Diagnosis classify_conda(const ports::Exit& exit, std::string_view output);

/// The same as an error that keeps the client's whole explanation. `what` begins the message:
/// "solving the conda packages". `rattler` gives its own account of the kind.
Error conda_failure(CondaKind kind, const ports::Captured& ran, std::string_view what);

}  // namespace pinwheel::env
