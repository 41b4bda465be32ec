#pragma once
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "init/decide.h"
#include "init/project_facts.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// The project to prove a matrix for, and the draft that reading it gave.
struct UnprovenMatrix {
  const init::ProjectFacts& facts;
  const init::Decision& decision;
  std::string directory;  ///< of the project; empty if it is an sdist
};

/// Builds the first variant of the draft whose Python this machine has, in the state directory, and
/// finds the widest `abi` that its wheel holds. Runs code of the project. The status of the build
/// goes to stderr; its exit code is the error's if it fails. `environment` if this machine has none
/// of the Pythons; `check` if the wheel needs more than its tags say.
Result<init::Proof> prove_abi(const prepare::Host& host, const prepare::GlobalOptions& global,
                              const UnprovenMatrix& matrix, Streams& streams);

}  // namespace pinwheel::cli
