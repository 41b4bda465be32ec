#include "plan/ninja_log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/parse_integer.h"
#include "plan/command_kind.h"

namespace pinwheel::plan {
namespace {

using std::chrono::milliseconds;

struct LogLine {
  milliseconds start{0};
  milliseconds end{0};
  std::optional<TraceTime> mtime = {};
  std::string_view output = {};
  std::string_view hash = {};
};

/// The commands of one run of ninja.
using LogRun = std::vector<LogLine>;

/// The text up to `separator`, which is removed from `rest` with it.
std::string_view take_until(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return taken;
}

/// A time since the start of ninja: of at most a year.
std::optional<milliseconds> run_time(std::string_view text) {
  constexpr uint64_t kYear = milliseconds(std::chrono::years(1)).count();
  const std::optional<uint64_t> number = parse_unsigned(text);
  if (!number || *number > kYear) return std::nullopt;
  return milliseconds(static_cast<int64_t>(*number));
}

/// Nanoseconds since 1970, as version 5 writes them; nullopt for 0 and what is no time of a build.
std::optional<TraceTime> mtime_of(std::string_view text) {
  const std::optional<uint64_t> number = parse_unsigned(text);
  constexpr uint64_t kFirst = 1'000'000'000'000'000'000;  // 2001
  constexpr uint64_t kLast = 7'000'000'000'000'000'000;   // 2191
  if (!number || *number < kFirst || *number > kLast) return std::nullopt;
  return TraceTime(milliseconds(static_cast<int64_t>(*number / 1'000'000)));
}

std::optional<LogLine> log_line(std::string_view text) {
  LogLine line;
  const std::optional<milliseconds> start = run_time(take_until(text, '\t'));
  const std::optional<milliseconds> end = run_time(take_until(text, '\t'));
  line.mtime = mtime_of(take_until(text, '\t'));
  line.output = take_until(text, '\t');
  line.hash = text;
  if (!start || !end || *end < *start || line.output.empty() || line.hash.empty()) {
    return std::nullopt;
  }
  line.start = *start;
  line.end = *end;
  return line;
}

bool is_known_log(std::string_view header) {
  constexpr std::array<std::string_view, 3> kHeaders = {"# ninja log v5", "# ninja log v6",
                                                        "# ninja log v7"};
  return std::ranges::find(kHeaders, header) != kHeaders.end();
}

std::vector<LogRun> log_runs(std::string_view text) {
  std::vector<LogRun> runs;
  if (!is_known_log(take_until(text, '\n'))) return runs;
  while (!text.empty()) {
    // A line without an end was cut off.
    if (text.find('\n') == std::string_view::npos) break;
    const std::optional<LogLine> line = log_line(take_until(text, '\n'));
    if (!line) continue;
    if (runs.empty() || line->end < runs.back().back().end) runs.emplace_back();
    runs.back().push_back(*line);
  }
  return runs;
}

/// The start of a run by the mtimes in it.
std::optional<TraceTime> start_by_mtimes(const LogRun& run) {
  std::vector<TraceTime> starts;
  TraceTime least = TraceTime::min();
  for (const LogLine& line : run) {
    if (!line.mtime) continue;
    starts.push_back(*line.mtime - line.start);
    least = std::max(least, *line.mtime - line.end);
  }
  if (starts.empty()) return std::nullopt;
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::ranges::nth_element(starts, middle);
  return std::max(*middle, least);
}

/// The starts of the runs. Runs of one directory do not overlap.
std::vector<TraceTime> starts_of(const std::vector<LogRun>& runs, TraceTime written) {
  std::vector<TraceTime> starts(runs.size());
  TraceTime next = written;
  for (size_t i = runs.size(); i-- > 0;) {
    const TraceTime latest = next - runs[i].back().end;
    const bool last = i + 1 == runs.size();
    starts[i] = last ? latest : std::min(latest, start_by_mtimes(runs[i]).value_or(latest));
    next = starts[i];
  }
  return starts;
}

/// The rule of each output in a manifest, without the escapes of ninja: only outputs that need none
/// are found.
class Manifest {
 public:
  explicit Manifest(std::string_view text) {
    constexpr std::string_view kBuild = "build ";
    while (!text.empty()) {
      std::string_view line = take_until(text, '\n');
      if (!line.starts_with(kBuild)) continue;
      line.remove_prefix(kBuild.size());
      const size_t colon = line.find(": ");
      if (colon == std::string_view::npos) continue;
      std::string_view outputs = line.substr(0, colon);
      std::string_view rest = line.substr(colon + 2);
      const std::string_view rule = take_until(rest, ' ');
      while (!outputs.empty()) {
        const std::string_view output = take_until(outputs, ' ');
        if (!output.empty()) rules_.emplace(output, rule);
      }
    }
  }

  CommandKind kind_of(std::string_view output) const {
    const auto found = rules_.find(output);
    const CommandKind kind =
        found == rules_.end() ? CommandKind::other : kind_of_rule(found->second);
    return kind == CommandKind::other ? kind_of_output(output) : kind;
  }

 private:
  std::unordered_map<std::string_view, std::string_view> rules_;
};

}  // namespace

std::vector<TracedCommand> ninja_commands(const NinjaLog& log) {
  std::vector<TracedCommand> commands;
  const std::vector<LogRun> runs = log_runs(log.text);
  if (runs.empty()) return commands;
  const std::vector<TraceTime> starts = starts_of(runs, log.written);
  const Manifest manifest(log.manifest);
  for (size_t i = 0; i < runs.size(); ++i) {
    std::set<std::tuple<milliseconds, milliseconds, std::string_view>> seen;
    for (const LogLine& line : runs[i]) {
      if (!seen.emplace(line.start, line.end, line.hash).second) continue;
      commands.push_back({listed_output(line.output),
                          manifest.kind_of(line.output),
                          {starts[i] + line.start, starts[i] + line.end}});
    }
  }
  return commands;
}

}  // namespace pinwheel::plan
