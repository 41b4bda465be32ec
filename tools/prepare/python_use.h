#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "matrix/settings.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// A Python that variants need on this machine.
struct PythonUse {
  std::string version;    ///< "3.13t"
  std::string libc = {};  ///< of the axis `libc`; empty without it
  matrix::PythonFrom from = matrix::PythonFrom::found;
  std::vector<std::string> channels = {};  ///< conda's, for a Python that must be fetched
  std::vector<std::string> users = {};     ///< the steps or variants that need it
};

/// The Pythons of all variants of a matrix, in the order of the matrix.
Result<std::vector<PythonUse>> python_uses(const Loaded& loaded);

/// The Pythons that a run needs on this machine; none if they come from images or conda.
Result<std::vector<PythonUse>> python_uses(const RunScope& scope);

/// Fetches what a run needs, this machine lacks and the matrix lets pinwheel fetch
/// Fetches the Pythons that a run needs and this machine lacks, if the matrix allows it
/// (`environment.python: auto`). A signal stops it.
Done fetch_missing_pythons(const Host& host, const RunScope& scope,
                           const host::Workplace& workplace, ports::Notices& notices);

/// Warns, once for each version, about Pythons that the variants of a run need and this machine
/// lacks, with the builds and tests that fail without them. For those that a run fetches, prints a
/// note. Skips containers and conda, which have their own. Starts no interpreter that was probed
/// before, and makes nothing.
void warn_of_missing_pythons(const Host& host, const RunScope& scope, ports::Notices& notices);

}  // namespace pinwheel::prepare
