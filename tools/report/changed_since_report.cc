#include "report/changed_since_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/visible_text.h"
#include "plan/step_id.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

constexpr size_t kCommitShown = 12;

/// "nothing changed since `main` (1a2b3c4d5e6f): 4 steps have the keys of its results".
std::string since_headline(const plan::ChangedSince& since) {
  const std::string of =
      fmt::format("since {} ({})", quoted(since.rev), since.commit.substr(0, kCommitShown));
  const size_t running = plan::steps_to_run(since).size();
  if (running == 0) {
    return fmt::format(
        "nothing changed {}: {} the keys of its results", of,
        since.steps.size() == 1 ? "1 step has" : plural(since.steps.size(), "step") + " have");
  }
  return fmt::format("{} of {} changed {}", running, plural(since.steps.size(), "step"), of);
}

/// Steps with the same reasons: "3 tests", or the id of the only one.
struct SinceLine {
  const plan::SinceStep* first = nullptr;
  std::vector<std::string> ids = {};
};

std::vector<SinceLine> since_lines(const plan::ChangedSince& since) {
  std::vector<SinceLine> lines;
  for (const plan::SinceStep& step : since.steps) {
    if (step.state == plan::SinceState::unchanged) continue;
    const auto same = std::ranges::find_if(lines, [&step](const SinceLine& line) {
      return plan::kind_of_step(line.first->id) == plan::kind_of_step(step.id) &&
             line.first->reasons == step.reasons;
    });
    if (same != lines.end()) {
      same->ids.push_back(step.id);
    } else {
      lines.push_back({&step, {step.id}});
    }
  }
  return lines;
}

std::string name_of(const SinceLine& line) {
  if (line.ids.size() == 1) return line.ids.front();
  const bool build = plan::kind_of_step(line.ids.front()) == plan::StepKind::build;
  return plural(line.ids.size(), build ? "build" : "test");
}

}  // namespace

std::string since_text(const plan::ChangedSince& since, size_t columns) {
  std::vector<std::vector<std::string>> rows = {{"step", "because"}};
  const std::vector<SinceLine> lines = since_lines(since);
  rows.reserve(lines.size() + 1);
  for (const SinceLine& line : lines) {
    rows.push_back({visible(name_of(line)), visible(join(line.first->reasons, ", "))});
  }
  const std::string head = since_headline(since) + "\n";
  return rows.size() == 1 ? head : head + align_columns(rows, columns);
}

std::string since_markdown(const plan::ChangedSince& since) {
  std::string out = fmt::format("### Changed keys\n\n{}\n", visible(since_headline(since)));
  const std::vector<SinceLine> lines = since_lines(since);
  if (lines.empty()) return out;
  out += "\n| step | because |\n|---|---|\n";
  for (const SinceLine& line : lines) {
    const auto cell = [](const std::string& text) {
      return replace_all(replace_all(visible(text), "|", "\\|"), "<", "&lt;");
    };
    out += fmt::format("| {} | {} |\n", cell(name_of(line)), cell(join(line.first->reasons, ", ")));
  }
  return out;
}

nlohmann::ordered_json since_json(const plan::ChangedSince& since) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const plan::SinceStep& step : since.steps) {
    steps.push_back(
        {{"id", step.id}, {"state", plan::to_string(step.state)}, {"reasons", step.reasons}});
  }
  return {{"rev", since.rev}, {"commit", since.commit}, {"steps", std::move(steps)}};
}

}  // namespace pinwheel::report
