#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "cli/commands.h"
#include "host/steps/journal_file.h"
#include "host/system/files.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// The log named in the journal, or for a different attempt, the file beside it.
fs::path log_of_attempt(const plan::StepOutcome& outcome, int attempt) {
  if (attempt <= 0) return outcome.log;
  const fs::path last = outcome.log;
  const std::string ending = fmt::format(".{}.log", outcome.attempts);
  std::string name = last.filename().string();
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return last.parent_path() / fmt::format("{}.{}.log", name, attempt);
}

}  // namespace

Result<int> cmd_logs(const GlobalOptions& global, const LogsOptions& options, Streams& streams) {
  TRY(const journal::History history, host::read_whole_journal(global.state_dir));
  const plan::StepOutcome* found = nullptr;
  std::vector<std::string> ids;
  for (const auto& [step, outcome] : history.finished) {
    ids.push_back(step.first);
    if (step.first != options.id || outcome.log.empty()) continue;
    // A step has a record for each key it ever had; the name of a log's directory starts with the
    // run's time.
    if (found == nullptr || outcome.log > found->log) found = &outcome;
  }
  if (found == nullptr) {
    return fail(
        ErrorKind::usage,
        fmt::format("no run in {} has a log of {}", quoted(global.state_dir), quoted(options.id)),
        suggest(options.id, ids));
  }
  if (options.attempt > found->attempts) {
    return fail(ErrorKind::usage,
                fmt::format("{} has no attempt {}; its last was {}", quoted(options.id),
                            options.attempt, found->attempts));
  }
  host::LocalFiles files;
  TRY(const std::string text, files.read(log_of_attempt(*found, options.attempt)));
  if (text.empty()) streams.note(fmt::format("{} wrote nothing\n", quoted(options.id)));
  streams.output(text);
  return 0;
}

}  // namespace pinwheel::cli
