#include "host/steps/compiler_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "host/system/open_regular.h"
#include "plan/cache_output.h"
#include "plan/compiler_cache_scripts.h"
#include "plan/compiler_profile.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kMostToPrepare{5};
constexpr std::chrono::seconds kMostToStop{20};
/// Of the path of a socket, with the byte at its end.
constexpr size_t kMostSocketPath = 107;

matrix::CompilerCache cache_of(const plan::BuildWheel& action) {
  const bool profiled = value_at(action.variables, plan::kProfileVariable) == "1";
  return profiled ? matrix::CompilerCache::none : action.settings.environment.compiler_cache;
}

fs::path seen_directory(const BuildSite& site) {
  return site.space.seen(kCompilerCacheName);
}

/// The same command with other arguments, in the build's environment.
ports::Command in_build(const BuildSite& site, const ports::Command& build,
                        std::vector<std::string> argv, std::chrono::seconds limit) {
  ports::Command command = build;
  command.argv = std::move(argv);
  command.timeout = limit;
  return site.space.wrap(std::move(command));
}

/// Writes the reason why the cache is not used to a file, which the launcher's fallback needs as
/// well.
void note_failure(const StepContext& context, const std::string& why) {
  const fs::path directory = context.attempt.scratch / kCompilerCacheName;
  static_cast<void>(context.machine.files.write(directory / plan::kWarningName, why + "\n"));
}

bool has_own_server(const plan::BuildWheel& action, const BuildSite& site,
                    const ports::Command& build) {
  const std::string own = (seen_directory(site) / plan::kServerName).string();
  return cache_of(action) == matrix::CompilerCache::sccache &&
         value_at(build.environment, "SCCACHE_SERVER_UDS") == own;
}

/// Settings without which an object may be that of another source, or have other bytes. A variable
/// replaces the setting in the user's ccache.conf.
void set_ccache(const CompilerCachePlace& place, std::map<std::string, std::string>& variables) {
  for (const char* const name : {"CCACHE_NODEPEND", "CCACHE_NODIRECT", "CCACHE_NOHASHDIR",
                                 "CCACHE_HARDLINK", "CCACHE_COMPILER", "CCACHE_COMPILERTYPE"}) {
    variables.erase(name);
  }
  // A build that changes its objects, for instance by `strip`, would change those of the cache.
  for (const char* const name :
       {"CCACHE_DEPEND", "CCACHE_DIRECT", "CCACHE_HASHDIR", "CCACHE_NOHARDLINK"}) {
    variables[name] = "1";
  }
  variables["CCACHE_COMPILERCHECK"] = "content";
  variables["CCACHE_BASEDIR"] = place.base.string();
  for (const char* const name :
       {"CCACHE_SLOPPINESS", "CCACHE_IGNOREHEADERS", "CCACHE_IGNOREOPTIONS"}) {
    variables[name] = "";
  }
}

void set_sccache(const CompilerCachePlace& place, std::map<std::string, std::string>& variables) {
  variables["SCCACHE_IGNORE_SERVER_IO_ERROR"] = "1";
  variables.erase("SCCACHE_BASEDIRS");
  if (place.base.empty()) {
    // It may have been started by another build, whose files are at the same path.
    variables.erase("SCCACHE_SERVER_PORT");
    variables.erase("SCCACHE_SERVER_UDS");
  }
  const bool users =
      variables.contains("SCCACHE_SERVER_PORT") || variables.contains("SCCACHE_SERVER_UDS");
  const std::string socket = (place.directory / plan::kServerName).string();
  // A build without a network cannot reach a server by its port.
  if (!users && socket.size() <= kMostSocketPath) variables["SCCACHE_SERVER_UDS"] = socket;
}

}  // namespace

void set_compiler_cache(matrix::CompilerCache cache, const CompilerCachePlace& place,
                        std::map<std::string, std::string>& variables) {
  if (cache == matrix::CompilerCache::none) return;
  const std::string launcher = (place.directory / plan::kLauncherName).string();
  for (const char* const language : {"C", "CXX", "CUDA", "HIP"}) {
    variables[fmt::format("CMAKE_{}_COMPILER_LAUNCHER", language)] = launcher;
  }
  variables["PYTORCH_NVCC"] = (place.directory / plan::kNvccName).string();
  if (cache == matrix::CompilerCache::ccache) {
    set_ccache(place, variables);
  } else {
    set_sccache(place, variables);
  }
}

Done write_compiler_cache(ports::Files& files, const fs::path& directory,
                          matrix::CompilerCache cache) {
  constexpr uint32_t kProgram = 0755;
  TRY_DONE(files.make_directories(directory));
  TRY_DONE(files.write(directory / plan::kPrepareName, plan::prepare_script(cache), kProgram));
  TRY_DONE(files.write(directory / plan::kLauncherName, plan::launcher_script(cache), kProgram));
  if (cache == matrix::CompilerCache::sccache) {
    TRY_DONE(files.write(directory / plan::kCountedName, plan::counted_script(), kProgram));
  }
  return files.write(directory / plan::kNvccName, plan::nvcc_script(), kProgram);
}

Done add_compiler_cache(const StepContext& context, const plan::BuildWheel& action,
                        const BuildSite& site, ports::Command& command) {
  const matrix::CompilerCache cache = cache_of(action);
  if (cache == matrix::CompilerCache::none) return {};
  TRY_DONE(write_compiler_cache(context.machine.files, context.attempt.scratch / kCompilerCacheName,
                                cache));
  CompilerCachePlace place{seen_directory(site)};
  if (site.space.mode() != PathMode::fixed) place.base = place.directory.parent_path();
  if (cache == matrix::CompilerCache::sccache) {
    const std::string home = value_at(context.machine.variables, "HOME");
    if (!home.empty()) {
      command.environment.try_emplace("SCCACHE_DIR", home + "/.cache/sccache");
    }
  }
  const std::map<std::string, std::string> before = command.environment;
  set_compiler_cache(cache, place, command.environment);
  for (const auto& [name, value] : action.variables) {
    if (const auto chosen = before.find(name); chosen != before.end()) {
      command.environment[name] = chosen->second;
    }
  }
  const Result<ports::Captured> ran = context.machine.process.capture(in_build(
      site, command, {"sh", (place.directory / plan::kPrepareName).string()}, kMostToPrepare));
  if (context.stop.stop_requested()) {
    return fail(ErrorKind::interrupted, "the preparation of the build was interrupted");
  }
  if (!ran) {
    note_failure(context, ran.error().message);
  } else if (ran->exit.timed_out) {
    note_failure(context, "it does not respond");
  } else if (!ran->exit.ok()) {
    note_failure(context, "its preparation failed");
  }
  return {};
}

void count_in_build(const plan::BuildWheel& action, const BuildSite& site, ports::Command& build) {
  if (!has_own_server(action, site, build)) return;
  std::vector<std::string> argv = {"sh", (seen_directory(site) / plan::kCountedName).string()};
  argv.insert(argv.end(), build.argv.begin(), build.argv.end());
  build.argv = std::move(argv);
}

void add_counted_hits(const StepContext& context, const plan::BuildWheel& action) {
  if (cache_of(action) != matrix::CompilerCache::sccache || !context.attempt.meter) return;
  const fs::path counters = context.attempt.scratch / kCompilerCacheName / plan::kCountersName;
  context.attempt.meter->add_hits(
      plan::sccache_hits(read_plain_file(counters, limits::kFile).value_or(std::string())));
}

void end_compiler_cache(const StepContext& context, const plan::BuildWheel& action,
                        const BuildSite& site, const ports::Command& build) {
  if (!has_own_server(action, site, build)) return;
  // A server that has ended already is no error.
  constexpr const char* kEnd = "sccache --stop-server > /dev/null 2>&1 || true";
  static_cast<void>(
      context.machine.process.capture(in_build(site, build, {"sh", "-c", kEnd}, kMostToStop)));
}

std::vector<std::string> compiler_cache_warnings(const StepContext& context,
                                                 const plan::BuildWheel& action) {
  const matrix::CompilerCache cache = cache_of(action);
  std::vector<std::string> warnings;
  if (cache == matrix::CompilerCache::none) return warnings;
  const fs::path directory = context.attempt.scratch / kCompilerCacheName;
  const auto text_of = [&directory](const char* name) {
    return read_plain_file(directory / name, limits::kFile).value_or(std::string());
  };
  const std::string program = quoted(plan::program_of(cache));
  const std::string why(trim(text_of(plan::kWarningName)));
  if (!why.empty()) {
    warnings.push_back(fmt::format("the build used no compiler cache: {}: {}", program, why));
  }
  const std::string faults = text_of(plan::kFaultsName);
  const auto count = static_cast<size_t>(std::ranges::count(faults, '\n'));
  if (count > 0) {
    warnings.push_back(fmt::format("{} ran without {}, which failed: {}",
                                   plural(count, "compilation"), program,
                                   faults.substr(0, faults.find('\n'))));
  }
  return warnings;
}

}  // namespace pinwheel::host
