#pragma once
#include <filesystem>
#include <string>

#include "env/interpreter.h"
#include "env/resolution.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// A base environment that is complete: it is read from now on, never written.
struct BaseEnvironment {
  std::string id;
  std::filesystem::path directory;
  std::filesystem::path conda = {};  ///< the prefix that its Python is of; empty: none
  std::string python;                ///< the program inside
  std::string site_packages;
  env::Interpreter interpreter;
  env::Resolution resolution;
};

/// Makes the base environment of a resolution under `<cache>/environments/<id>`, or returns the one
/// that is there. The id covers the packages and the interpreter. Made in place under a lock; it
/// counts only once its completion marker is written, and a remainder without one is removed and
/// made anew. Errors: `environment` when the disk is too full (names need and free) or the
/// interpreter is gone; else as `classify_pip` says.
Result<BaseEnvironment> create_environment(const EnvMachine& machine, const env::Request& request,
                                           const env::Resolution& resolution);

/// Whether that environment is there already, so that nothing would be installed.
Result<bool> has_environment(const EnvMachine& machine, const env::Resolution& resolution,
                             const env::Interpreter& interpreter);

}  // namespace pinwheel::host
