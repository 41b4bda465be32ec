#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::plan {

/// A finished command in a `.ninja_log` (version 5 to 7), for one of its outputs.
struct NinjaEntry {
  int64_t start = 0;  ///< milliseconds since its ninja started
  int64_t end = 0;
  /// Nanoseconds since 1970; 0: not recorded. In version 5, the time of the output. In later ones,
  /// the start of the command, but for rules with `restat` or `generator` the time of the output.
  int64_t mtime = 0;
  std::string output = {};

  bool operator==(const NinjaEntry&) const = default;
};

/// The finished commands; the last line of an output counts. A last line without an end, and lines
/// that make no sense, are skipped, as ninja does. Empty for any other text.
std::vector<NinjaEntry> ninja_entries(std::string_view log);

/// Whether a log has the times of outputs (version 5), instead of the starts of commands.
bool records_outputs(std::string_view log);

/// The inputs that ninja has recorded in a `.ninja_deps` (version 4) for the outputs in `of`.
/// `check` for any other bytes; a last record that was cut off is skipped, as ninja does.
Result<std::set<std::string>> ninja_inputs(std::string_view deps, const std::set<std::string>& of);

/// A time of a file and the time that replaces it, in nanoseconds since 1970.
using NewTime = std::function<int64_t(int64_t)>;

/// A `.ninja_log` with other times of files, without a last line that was cut off.
std::string with_new_times_log(std::string_view log, const NewTime& time);
/// A `.ninja_deps` with other times of files, without a last record that was cut off. `check` as
/// for `ninja_inputs`.
Result<std::string> with_new_times_deps(std::string_view deps, const NewTime& time);

}  // namespace pinwheel::plan
