#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "host/steps/build_site.h"
#include "host/steps/step_context.h"
#include "matrix/settings.h"
#include "plan/action.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The name of the directory, below a build's root, with the programs of its compiler cache
/// (plan/compiler_cache_scripts.h).
inline constexpr const char* kCompilerCacheName = "compiler-cache";

/// Where a build uses its compiler cache, as the build sees it.
struct CompilerCachePlace {
  std::filesystem::path directory;  ///< with the programs
  /// Paths below this directory are relative in keys and in the compiler's arguments. Empty for a
  /// build with a fixed path, which does not need it: it would change the bytes of `__FILE__`.
  std::filesystem::path base = {};
};

/// Adds the variables of a compiler cache to those of a build: the launchers for CMake and torch,
/// and settings of the cache under which wheels have the same bytes as without it. The caches and
/// servers that `variables` name stay; other settings of the user do not apply. A build with a
/// fixed path has a separate server, because a shared one sees other files at that path. Pure.
void set_compiler_cache(matrix::CompilerCache cache, const CompilerCachePlace& place,
                        std::map<std::string, std::string>& variables);

/// Writes the programs into a directory.
Done write_compiler_cache(ports::Files& files, const std::filesystem::path& directory,
                          matrix::CompilerCache cache);

/// Prepares the compiler cache of a build that has one, and adds its variables to the command,
/// except those that the matrix sets itself. If the cache cannot be used, the build runs without
/// it, and `compiler_cache_warnings` says why. A profiled build has no cache.
Done add_compiler_cache(const StepContext& context, const plan::BuildWheel& action,
                        const BuildSite& site, ports::Command& command);

/// Lets a build that has a separate server write the counters of the server before it ends.
void count_in_build(const plan::BuildWheel& action, const BuildSite& site, ports::Command& build);

/// Adds the counters that such a build has written to the trace. ccache writes its hits itself
/// (`BuildCommands`).
void add_counted_hits(const StepContext& context, const plan::BuildWheel& action);

/// Ends the server of a shell's compiler cache, if the shell has a separate server. The server of a
/// build ends with the build.
void end_compiler_cache(const StepContext& context, const plan::BuildWheel& action,
                        const BuildSite& site, const ports::Command& build);

/// What went wrong with the compiler cache of a build that has ended.
std::vector<std::string> compiler_cache_warnings(const StepContext& context,
                                                 const plan::BuildWheel& action);

}  // namespace pinwheel::host
