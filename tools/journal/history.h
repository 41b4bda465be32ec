#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "journal/record.h"

namespace pinwheel::journal {

/// What earlier runs left: of each step and key, the last outcome, and the attempts that were
/// started after it and never ended (the run was killed).
struct History {
  using StepAndKey = std::pair<std::string, std::string>;

  std::map<StepAndKey, plan::StepOutcome> finished = {};
  std::map<std::string, Finished> latest = {};  ///< of each step, whatever its key
  std::map<StepAndKey, int> unfinished = {};    ///< number of the attempt that did not end
  /// How long each step took, retries included, when it last succeeded or was skipped.
  std::map<std::string, std::chrono::milliseconds> took = {};
  size_t intact_bytes = 0;  ///< length of the text up to its last whole line

  void add(const Record& record);
};

/// Reads a journal's text. A last line without its newline was torn by a crash and is left out;
/// an empty text is an empty history. `config`, with the line's number, for a bad line before the
/// end and for an unknown version: a journal is refused, never thrown away.
Result<History> read_history(std::string_view text);

}  // namespace pinwheel::journal
