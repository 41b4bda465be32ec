#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "host/provision/cache_use.h"

namespace pinwheel::host {

enum class Completeness { complete, partial };

/// A row of `env list`: a base environment, a conda prefix that environments are based on, or a
/// toolkit in its own prefix.
struct EnvironmentEntry {
  std::string id;  ///< of its first step, "env:0123456789ab"; else the name of its directory
  std::string place = {};  ///< its directory, relative to the cache
  Completeness completeness = Completeness::partial;
  std::string python = {};       ///< this and the rest only if complete; empty for a toolkit
  std::string torch = {};        ///< "2.13.0+cpu"; empty: none
  std::string toolkit = {};      ///< "cuda/13.0.88"; empty for an environment
  std::string resolution = {};   ///< digest of its exact packages
  uint64_t bytes = 0;            ///< when it was completed
  std::string interpreter = {};  ///< the Python that it was made with; for a conda prefix its
                                 ///< client
  std::chrono::sys_seconds made = {};
  std::vector<CacheUse> uses = {};  ///< the last one first; also if it is partial
};

/// The time of its last use, or of its creation; the epoch for a partial one that nobody used.
std::chrono::sys_seconds last_use(const EnvironmentEntry& entry);

/// The environments in the cache, by id, then the conda prefixes, then the toolkits; then those of
/// each image, in the same order.
Result<std::vector<EnvironmentEntry>> list_environments(const EnvMachine& machine);

/// Removes the result of a step if `id` is the step's, else the one environment, conda prefix or
/// toolkit whose step or directory has a name that starts with `id`. `usage` if none or several
/// match, `environment` if another process makes or uses it.
Done remove_environment(const EnvMachine& machine, const std::string& id);

}  // namespace pinwheel::host
