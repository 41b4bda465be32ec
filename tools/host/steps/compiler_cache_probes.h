#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "matrix/settings.h"

namespace pinwheel::host {

enum class ProbeVerdict {
  sound,    ///< the change was noticed
  stale,    ///< the cache returned the object of the other source
  skipped,  ///< the probe cannot run here
  unusable  ///< the cache does not work, so builds run without it
};

/// "sound", "stale", "skipped", "unusable".
std::string_view to_string(ProbeVerdict verdict);

/// The outcome of one probe of a compiler cache.
struct CacheProbe {
  std::string name;  ///< "host-code"
  ProbeVerdict verdict = ProbeVerdict::sound;
  std::string detail = {};  ///< what was changed, or why the probe was skipped
};

/// Compiles small sources through the launcher of builds, changes each in a way that some caches do
/// not notice, and compiles them again:
///
/// - `header`: a header that a C++ source includes;
/// - `device-header`: a header that only the device pass of HIP includes;
/// - `host-code`: host code in a CUDA source, which no device pass sees;
/// - `later-architecture`: a header that only the second architecture includes;
/// - `line-numbers`: all line numbers, with `-lineinfo`;
/// - `ptxas`: a different ptxas under the same nvcc.
///
/// Each object contains a text that changes with its source, so a stale object is recognized even
/// if only a part of it comes from the cache. Uses a separate cache below `directory`, which must
/// be empty. Errors are those of the file system.
Result<std::vector<CacheProbe>> probe_compiler_cache(const EnvMachine& machine,
                                                     matrix::CompilerCache cache,
                                                     const std::filesystem::path& directory);

}  // namespace pinwheel::host
