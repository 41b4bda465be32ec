#include "compat/run_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/terminal_text.h"
#include "base/text.h"
#include "compat/evaluate.h"

namespace pinwheel::compat {
namespace {

using RunLines = std::vector<std::string>;

bool was_to_fail(const OpenedMember& member, const std::optional<BuildVerdict>& predicted) {
  return predicted && std::find(predicted->failing.begin(), predicted->failing.end(),
                                member.name) != predicted->failing.end();
}

std::vector<Disagreement> disagreements_of(const RunSeen& seen,
                                           const std::optional<BuildVerdict>& predicted) {
  std::vector<Disagreement> out;
  if (!predicted) return out;
  for (const OpenedMember& member : seen.opened) {
    if (was_to_fail(member, predicted) == member.error.empty()) {
      out.push_back({member.name, member.error});
    }
  }
  return out;
}

/// Libraries whose failure counts: those not predicted by symbols, and all if the symbols predict
/// that this torch does not work.
std::vector<OpenedMember> broken_libraries(const RunSeen& seen,
                                           const std::optional<BuildVerdict>& predicted) {
  const bool refused = predicted && (!predicted->loads || lacks_library(*predicted));
  std::vector<OpenedMember> out;
  for (const OpenedMember& member : seen.opened) {
    if (member.error.empty()) continue;
    if (refused || !was_to_fail(member, predicted)) out.push_back(member);
  }
  return out;
}

void add_broken(const std::vector<OpenedMember>& broken, RunLines& lines) {
  constexpr size_t kMost = 5;
  for (size_t i = 0; i < broken.size() && i < kMost; ++i) {
    lines.push_back(fmt::format("{} does not load: {}", quoted(broken[i].name), broken[i].error));
  }
  if (broken.size() > kMost) lines.push_back(fmt::format("and {} more", broken.size() - kMost));
}

void add_disagreements(const std::vector<Disagreement>& found, RunLines& lines) {
  for (const Disagreement& each : found) {
    lines.push_back(
        each.error.empty()
            ? fmt::format("by its symbols {} should not load, but it does", quoted(each.member))
            : fmt::format("by its symbols {} should load, but the dynamic linker reports: {}",
                          quoted(each.member), each.error));
  }
}

void add_failure(const Ended& command, RunLines& lines) {
  lines.push_back(fmt::format("{} failed: {}", command.what, command.failure));
  for (const std::string& line : last_lines(command.output)) lines.push_back("  " + line);
}

void add_success(const RunSeen& seen, RunLines& lines) {
  RunLines did;
  const auto opened = static_cast<size_t>(
      std::count_if(seen.opened.begin(), seen.opened.end(),
                    [](const OpenedMember& member) { return member.error.empty(); }));
  if (opened == 1) did.emplace_back("1 library loads with RTLD_NOW");
  if (opened > 1) did.push_back(fmt::format("{} libraries load with RTLD_NOW", opened));
  for (const Ended& command : seen.commands) did.push_back(command.what + " succeeded");
  if (did.empty()) did.emplace_back("it has nothing to load");
  const bool stubs = seen.gpu == Gpu::stubs;
  lines.push_back(join(did, "; ") +
                  (stubs ? "; no GPU here: on the CPU, with stub CUDA libraries" : ""));
}

}  // namespace

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::loaded:
      return "loaded";
    case RunState::ran:
      return "ran";
    case RunState::failed:
      return "failed";
    case RunState::skipped:
      return "skipped";
  }
  return "skipped";
}

std::string_view to_words(RunState state) {
  switch (state) {
    case RunState::failed:
      return "run failed";
    case RunState::skipped:
      return "not run";
    default:
      return to_string(state);
  }
}

RunResult judge_run(const RunSeen& seen, const std::optional<BuildVerdict>& predicted) {
  RunResult out;
  out.torch = seen.torch;
  out.python = seen.python;
  out.disagreements = disagreements_of(seen, predicted);
  const std::vector<OpenedMember> broken = broken_libraries(seen, predicted);
  const bool ended_badly = !seen.commands.empty() && !seen.commands.back().failure.empty();
  RunLines lines;
  add_broken(broken, lines);
  if (ended_badly) add_failure(seen.commands.back(), lines);
  out.state = seen.smoke ? RunState::ran : RunState::loaded;
  if (lines.empty()) {
    add_success(seen, lines);
  } else {
    out.state = RunState::failed;
  }
  add_disagreements(out.disagreements, lines);
  out.evidence = join(lines, "\n");
  return out;
}

}  // namespace pinwheel::compat
