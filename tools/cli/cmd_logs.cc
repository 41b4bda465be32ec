#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "host/run/journal_file.h"
#include "host/system/file_source.h"
#include "prepare/host.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLogPiece = 1 << 20;  ///< bytes that are printed at once

/// The last attempt of a step that has a log.
struct LoggedAttempt {
  fs::path log;
  int attempt = 0;
  bool ended = false;
};

/// That attempt; nullopt if the step has none.
std::optional<LoggedAttempt> last_attempt(const run::History& history, const std::string& id) {
  const auto open = history.open.find(id);
  if (open != history.open.end() && !open->second.log.empty()) {
    return LoggedAttempt{open->second.log, open->second.attempt, false};
  }
  std::optional<LoggedAttempt> last;
  for (const auto& [step, outcome] : history.finished) {
    if (step.first != id || outcome.log.empty()) continue;
    // A step has a record for each of its keys. The name of a log's directory starts with the run's
    // time.
    if (!last || fs::path(outcome.log) > last->log) {
      last = LoggedAttempt{outcome.log, outcome.attempts, true};
    }
  }
  return last;
}

std::vector<std::string> known_steps(const run::History& history) {
  std::vector<std::string> ids;
  for (const auto& [step, outcome] : history.finished) ids.push_back(step.first);
  for (const auto& [step, attempt] : history.open) ids.push_back(step);
  return ids;
}

/// The log of that attempt; for a different attempt, the file next to it.
fs::path log_of_attempt(const LoggedAttempt& last, int attempt) {
  if (attempt <= 0) return last.log;
  const std::string ending = fmt::format(".{}.log", last.attempt);
  std::string name = last.log.filename().string();
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return last.log.parent_path() / fmt::format("{}.{}.log", name, attempt);
}

Error no_log(const std::string& state, const std::string& id, const run::History& history) {
  return {.kind = ErrorKind::usage,
          .message = fmt::format("no run in {} has a log of {}", quoted(state), quoted(id)),
          .hint = suggest(id, known_steps(history))};
}

/// Prints a log as it grows.
class Follower {
 public:
  explicit Follower(Streams& streams) : streams_(streams) {}

  /// Prints new output in whole lines; first the rest of an earlier attempt's log.
  void print(const fs::path& log) {
    if (log != log_ && !log_.empty()) {
      print_more();
      end();
      read_ = 0;
    }
    log_ = log;
    print_more();
  }

  /// Prints a last line without a newline.
  void end() {
    const std::string rest = std::exchange(rest_, {});
    if (!rest.empty()) streams_.output(rest + "\n");
  }

 private:
  void print_more() {
    const Result<std::unique_ptr<host::FileSource>> file = host::FileSource::open(log_);
    while (file && read_ < (*file)->size()) {
      const uint64_t length = std::min<uint64_t>(kLogPiece, (*file)->size() - read_);
      const Result<std::string> text = (*file)->read(read_, length);
      if (!text) return;
      read_ += text->size();
      rest_ += *text;
      const size_t lines = rest_.rfind('\n');
      if (lines == std::string::npos) continue;
      streams_.output(rest_.substr(0, lines + 1));
      rest_.erase(0, lines + 1);
    }
  }

  Streams& streams_;
  fs::path log_;
  size_t read_ = 0;
  std::string rest_;  ///< the beginning of a line
};

Result<int> follow(const std::string& state, const std::string& id, Streams& streams) {
  constexpr std::chrono::milliseconds kPause(300);
  Follower follower(streams);
  bool waits = false;
  for (;;) {
    // Read before the journal, so that nothing of a run that ends meanwhile is missed.
    const bool in_use = host::is_in_use(state);
    TRY(const run::History history, host::read_whole_journal(state));
    const std::optional<LoggedAttempt> last = last_attempt(history, id);
    if (last) follower.print(last->log);
    if (!last && !in_use) return fail(no_log(state, id, history));
    if ((last && last->ended) || !in_use) break;
    if (!last && !std::exchange(waits, true)) {
      streams.note(fmt::format("waiting for {} to start\n", quoted(id)));
    }
    std::this_thread::sleep_for(kPause);
  }
  follower.end();
  return 0;
}

}  // namespace

Result<int> cmd_logs(const prepare::Host& /*host*/, const prepare::GlobalOptions& global,
                     const LogsOptions& options, Streams& streams) {
  if (options.follow) return follow(global.state_dir, options.id, streams);
  TRY(const run::History history, host::read_whole_journal(global.state_dir));
  const std::optional<LoggedAttempt> last = last_attempt(history, options.id);
  if (!last) return fail(no_log(global.state_dir, options.id, history));
  if (options.attempt > last->attempt) {
    return fail(ErrorKind::usage, fmt::format("{} has no attempt {}; its last was {}",
                                              quoted(options.id), options.attempt, last->attempt));
  }
  const fs::path log = log_of_attempt(*last, options.attempt);
  TRY(const std::unique_ptr<host::FileSource> source, host::FileSource::open(log));
  if (source->size() == 0) {
    streams.note(
        fmt::format("{} {} nothing\n", quoted(options.id), last->ended ? "wrote" : "has written"));
  }
  Follower follower(streams);
  follower.print(log);
  follower.end();
  return 0;
}

}  // namespace pinwheel::cli
