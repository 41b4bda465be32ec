#pragma once
#include <memory>
#include <string>

#include "host/steps/build_site.h"
#include "host/steps/step_context.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Records the commands of a build for the trace of its attempt, from its creation to its
/// destruction. Nothing that it reads can fail the build. Sources, best first:
///
/// - the logs of ninja, read when a ninja ends (a backend may remove its directory after that); for
///   builds in containers, whose processes may be out of sight, also those found after the build;
/// - the snippets of CMake's instrumentation, if the project or the user has turned that on;
/// - for compilers that no such log mentions, the processes of the build
///   (host/system/process_watch), in containers if they are visible (host/machine/container_watch).
///   No wrapper is inserted: wrappers and variables such as `CC` would change what configure
///   scripts find and record, and so the bytes of wheels.
///
/// A profiled build (`plan/compiler_profile`) also has the phases of its compilations: nvcc appends
/// them to a table, and clang writes them next to its objects, of which those are read that exist
/// after the build. It uses no compiler cache, whose hits have no phases. The phases of a build
/// that failed are not read. What is read after a build is bounded in time and size.
///
/// Also the hits of ccache, by `CCACHE_STATSLOG`, unless the user has set that variable. It
/// overrides a `stats_log` in the user's ccache.conf, which then has no entries of this build.
/// The hits of sccache are read by `add_counted_hits`.
class BuildCommands {
 public:
  BuildCommands(const StepContext& context, const BuildSite& site);
  ~BuildCommands();
  BuildCommands(const BuildCommands&) = delete;
  BuildCommands& operator=(const BuildCommands&) = delete;

  /// Adds the variables that make tools write what is read.
  void prepare(ports::Command& command) const;
  /// The command of the build has succeeded.
  void succeed();

 private:
  class Record;
  std::unique_ptr<Record> record_;  ///< null: the attempt is not measured
};

}  // namespace pinwheel::host
