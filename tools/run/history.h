#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "plan/outcome.h"
#include "plan/predict.h"
#include "store/domain.h"

namespace pinwheel::run {

/// An attempt is about to start.
struct Started {
  std::string id;
  std::string key;
  int attempt = 1;
  std::string at = {};   ///< UTC, "2026-01-02T03:04:05Z"
  std::string log = {};  ///< path of the attempt's log; empty in records of an older pinwheel
};

/// The outcome of a step that was started.
struct Finished {
  plan::StepOutcome outcome;
  std::string at = {};
  /// The domain of the run. Records of an older pinwheel have none, and no release uses their
  /// results.
  store::Domain domain = store::Domain::branch;
};

using JournalRecord = std::variant<Started, Finished>;

/// The first line of a journal, with its newline: `{"journal":1}`.
std::string header_line();

/// One line, with its newline.
std::string to_line(const JournalRecord& record);
/// The inverse, without the newline; `config` if the line is not a record.
Result<JournalRecord> parse_line(std::string_view line);

/// The record of earlier runs: for each step and key, the last outcome, and attempts that started
/// after it and never ended (the run was killed).
struct History {
  using StepAndKey = std::pair<std::string, std::string>;

  store::Domain own = store::Domain::branch;  ///< of the run that reads the history
  /// Without the records of runs in domains below its own.
  std::map<StepAndKey, plan::StepOutcome> finished = {};
  std::map<std::string, Finished> latest = {};  ///< by step, whatever its key
  std::map<StepAndKey, int> unfinished = {};    ///< number of the attempt that never ended
  std::map<std::string, Started> open = {};  ///< by step: its last attempt, without an outcome yet
  /// The durations of steps that succeeded. Those of skipped steps predict only the same step, and
  /// only until it runs again.
  plan::Durations took = {};
  std::set<std::string> skipped =
      {};                   ///< steps whose durations in `took` are those of skipped runs
  size_t intact_bytes = 0;  ///< length of the text up to its last complete line

  void add(const JournalRecord& record);
};

/// Parses a journal's text for a run of a domain. A last line without a newline was torn by a crash
/// and is ignored; empty text is an empty history. `config`, with the line number, for a bad line
/// before the end and for an unknown version: a journal is rejected, never discarded.
Result<History> read_history(std::string_view text, store::Domain own);

/// The steps that a run executed.
struct RecordedRun {
  std::string name;  ///< of the directory of its logs, "20260102T030405-4711"
  std::vector<plan::StepOutcome> outcomes = {};
};

/// The runs in a journal's text, in order, whatever their domains. Runs that executed nothing leave
/// no record. Errors as for `read_history`.
Result<std::vector<RecordedRun>> read_runs(std::string_view text);

}  // namespace pinwheel::run
