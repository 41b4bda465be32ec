#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "env/interpreter.h"
#include "env/request.h"
#include "env/resolution.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// A complete base environment; it is not modified any more.
struct BaseEnvironment {
  std::string id;
  std::filesystem::path directory;   ///< empty: only its packages are used
  std::filesystem::path conda = {};  ///< the prefix of its Python; empty: none
  std::string python;                ///< the program inside
  std::string site_packages;
  env::Interpreter interpreter;
  env::Resolution resolution;
  env::Purpose purpose = env::Purpose::build;
};

/// Creates the base environment of a resolution in `<cache>/environments/<id>`, or returns the
/// existing one. The id covers the packages and the interpreter. Created in place under a lock; it
/// is complete only when its completion marker is written, and an incomplete one is removed and
/// recreated. Errors: `environment` if the disk is too full (with the space needed and free) or the
/// interpreter is missing; else from `classify_pip`.
Result<BaseEnvironment> create_environment(const EnvMachine& machine, const env::Request& request,
                                           const env::Resolution& resolution);

/// Whether that environment exists already, so that nothing would be installed.
Result<bool> has_environment(const EnvMachine& machine, const env::Resolution& resolution,
                             const env::Interpreter& interpreter, env::Purpose purpose);

}  // namespace pinwheel::host
