#pragma once
#include <string_view>
#include <vector>

#include "plan/attempt_trace.h"

namespace pinwheel::plan {

/// A `.ninja_log`, and what it takes to understand it.
struct NinjaLog {
  std::string_view text = {};
  std::string_view manifest = {};  ///< `build.ninja`, for the kinds of commands; may be empty
  TraceTime written = {};          ///< when the file was last written
};

/// The commands in a log of ninja, version 5 to 7: lines of start, end (milliseconds since ninja
/// started), mtime, output and hash, in the order of their ends. The outputs of one command are one
/// command. A log in which an end is smaller than the one before has the commands of several runs.
///
/// Nothing in it says when a run started. The last line was written when its command ended, so the
/// last run started that long before `written`. An earlier run is placed by its mtimes: ninja 1.11
/// and newer record when a command started, older ones record 0 or the time of an output, which is
/// before its command's end. A run without mtimes ends where the next one starts.
///
/// No command for a text that is not such a log; lines that make no sense are skipped.
std::vector<TracedCommand> ninja_commands(const NinjaLog& log);

}  // namespace pinwheel::plan
