#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "env/interpreter.h"
#include "env/resolution.h"
#include "host/env_machine.h"

namespace pinwheel::host {

/// A base environment that is complete: it is read from now on, never written.
struct BaseEnvironment {
  std::string id;
  std::filesystem::path directory;
  std::string python;  ///< the program inside
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

enum class Completeness { complete, partial };

/// A row of `env list`.
struct EnvironmentEntry {
  std::string id;
  Completeness completeness = Completeness::partial;
  std::string python = {};  ///< the rest is known of complete ones only
  std::string torch = {};   ///< "2.13.0+cpu"; empty: none
  uint64_t bytes = 0;
  std::chrono::sys_seconds made = {};
};

/// The environments in the cache, by id.
Result<std::vector<EnvironmentEntry>> list_environments(const EnvMachine& machine);

/// Removes an environment; `id` may be its beginning. `usage` when none or several begin so,
/// `environment` when another process makes it at this moment.
Done remove_environment(const EnvMachine& machine, const std::string& id);

}  // namespace pinwheel::host
