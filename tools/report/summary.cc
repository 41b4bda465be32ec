#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/run_trace.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "plan/step_id.h"
#include "report/failure.h"
#include "report/summary_charts.h"
#include "report/table.h"
#include "store/derived_file.h"

namespace pinwheel::report {

std::vector<StepWarning> step_warnings(const plan::Report& report) {
  std::vector<StepWarning> out;
  for (const plan::StepOutcome& outcome : report.outcomes) {
    for (const std::string& text : outcome.warnings) {
      auto known = std::find_if(out.begin(), out.end(),
                                [&text](const StepWarning& each) { return each.text == text; });
      if (known == out.end()) known = out.insert(known, {{}, text});
      known->steps.push_back(outcome.id);
    }
  }
  return out;
}

std::string warnings_text(const std::vector<StepWarning>& warnings) {
  if (warnings.empty()) return {};
  std::string out = plural(warnings.size(), "warning") + ":\n";
  for (const StepWarning& warning : warnings) {
    out += fmt::format("  {}: {}\n", visible(steps_line(warning.steps)), visible(warning.text));
  }
  return out;
}

std::vector<Annotation> annotations_of(const std::vector<StepWarning>& warnings) {
  std::vector<Annotation> out;
  const size_t shown = annotations_shown(warnings.size());
  for (size_t i = 0; i < shown; ++i) {
    out.push_back({AnnotationLevel::warning, steps_line(warnings[i].steps), warnings[i].text});
  }
  if (shown < warnings.size()) {
    out.push_back({AnnotationLevel::warning,
                   fmt::format("{} more warnings", warnings.size() - shown),
                   "the step summary has all of them"});
  }
  return out;
}

namespace {

/// The lines about derived files: the first ones, and the number of the others.
std::vector<std::string> derivation_lines(const plan::Report& report) {
  constexpr size_t kMostShown = 10;
  std::vector<std::string> lines;
  size_t all = 0;
  for (const plan::StepOutcome& outcome : report.outcomes) {
    for (const store::DerivedFile& derived : outcome.derivations) {
      if (++all > kMostShown) continue;
      lines.push_back(fmt::format("{}: {}", outcome.id, store::derivation_line(derived)));
    }
  }
  if (all > kMostShown) {
    lines.push_back(fmt::format("and {} more, which `--json` lists", all - kMostShown));
  }
  return lines;
}

size_t count_derived(const plan::Report& report) {
  size_t count = 0;
  for (const plan::StepOutcome& outcome : report.outcomes) count += outcome.derivations.size();
  return count;
}

std::string derivations_markdown(const plan::Report& report) {
  const std::vector<std::string> lines = derivation_lines(report);
  if (lines.empty()) return {};
  std::string out = fmt::format("\n#### {}\n\n", plural(count_derived(report), "derived file"));
  for (const std::string& line : lines) out += fmt::format("- {}\n", markdown_text(line));
  return out;
}

/// The warnings as a list in Markdown under a heading; empty without any.
std::string warnings_markdown(const std::vector<StepWarning>& warnings) {
  if (warnings.empty()) return {};
  std::string out = fmt::format("\n#### {}\n\n", plural(warnings.size(), "warning"));
  for (const StepWarning& warning : warnings) {
    out += fmt::format("- {}: {}\n", markdown_text(steps_line(warning.steps)),
                       markdown_text(warning.text));
  }
  return out;
}

/// "ccache: 12 of 15 compilations"; empty without one.
std::string compiler_cache_note(const plan::StepOutcome& outcome) {
  if (outcome.trace.empty()) return {};
  for (const plan::CacheHits& cache : outcome.trace.back().caches) {
    if (!plan::is_compiler_cache(cache) || cache.hits + cache.misses == 0) continue;
    return fmt::format("{}: {} of {}", cache.cache, cache.hits,
                       plural(cache.hits + cache.misses, "compilation"));
  }
  return {};
}

std::string note_of(const plan::StepOutcome& outcome) {
  if (outcome.error && outcome.state == plan::StepState::failed) return outcome.error->message;
  if (!outcome.reason.empty()) return outcome.reason;
  if (outcome.evidence != plan::Evidence::none) return plan::evidence_text(outcome);
  std::string note = outcome.outputs.empty() ? "" : plural(outcome.outputs.size(), "file");
  const std::string cached = compiler_cache_note(outcome);
  if (cached.empty()) return note;
  return note.empty() ? cached : fmt::format("{}, {}", note, cached);
}

std::vector<std::vector<std::string>> rows_of(const plan::Report& report) {
  std::vector<std::vector<std::string>> rows = {{"step", "state", "time", "note"}};
  for (const plan::StepOutcome& one : report.outcomes) {
    rows.push_back({one.id, std::string(to_string(one.state)),
                    one.attempts > 0 ? format_duration(one.elapsed) : "", note_of(one)});
  }
  return rows;
}

/// The timeline under a heading; empty if there is nothing to draw.
std::string timeline_markdown(const plan::Report& report) {
  if (!analysis::check_traceable(report.outcomes)) return {};
  const std::string chart = gantt_markdown(analysis::merge_traces(report.outcomes));
  return chart.empty() ? "" : "\n#### timeline\n\n" + chart;
}

/// GitHub accepts one mebibyte per step.
constexpr size_t kMostInSummary = 512UL << 10;

/// The commands that reproduce the failed steps elsewhere; empty if none failed or the inputs are
/// unknown.
std::string reproduce_markdown(RunReport run) {
  std::erase_if(run.report.outcomes,
                [](const plan::StepOutcome& one) { return one.state != plan::StepState::failed; });
  if (run.report.outcomes.empty() || !run.origin) return {};
  std::string out =
      "\nTo reproduce the failures, in a clone of the repository: `pinwheel reproduce` and ";
  const std::string json = report_json(run);
  if (json.size() > kMostInSummary) return out + "the file that `--json` wrote.\n";
  return out +
         "the URL of this summary, or a file that contains it.\n\n"
         "<details><summary>inputs of the run</summary>\n\n```text\n" +
         json + "```\n\n</details>\n";
}

}  // namespace

std::string derivations_text(const plan::Report& report) {
  const std::vector<std::string> lines = derivation_lines(report);
  if (lines.empty()) return {};
  const size_t count = count_derived(report);
  std::string out = fmt::format("{}, with the code of {}:\n", plural(count, "derived file"),
                                count == 1 ? "its source" : "their sources");
  for (const std::string& line : lines) out += fmt::format("  {}\n", visible(line));
  return out;
}

std::optional<std::string> untested(const plan::Report& report) {
  constexpr size_t kMostReasons = 3;
  if (plan::exit_code(report) != 0) return std::nullopt;
  size_t tests = 0;
  std::vector<std::string> reasons;
  for (const plan::StepOutcome& outcome : report.outcomes) {
    if (plan::kind_of_step(outcome.id) != plan::StepKind::test) continue;
    if (outcome.state != plan::StepState::skipped) return std::nullopt;
    ++tests;
    const bool known = std::ranges::find(reasons, outcome.reason) != reasons.end();
    if (!known && !outcome.reason.empty()) reasons.push_back(outcome.reason);
  }
  if (tests == 0) return std::nullopt;
  if (reasons.size() > kMostReasons) {
    reasons.resize(kMostReasons);
    reasons.emplace_back("...");
  }
  const std::string why = reasons.empty() ? "" : fmt::format(" ({})", join(reasons, "; "));
  return fmt::format("no test was run: {} of {} {} skipped{}", tests, tests,
                     tests == 1 ? "was" : "were", why);
}

std::string summary_line(const plan::Report& report) {
  using plan::StepState;
  std::vector<std::string> parts;
  for (const StepState state :
       {StepState::done, StepState::reused, StepState::failed, StepState::blocked,
        StepState::skipped, StepState::interrupted, StepState::unfinished}) {
    const auto count =
        std::count_if(report.outcomes.begin(), report.outcomes.end(),
                      [state](const plan::StepOutcome& one) { return one.state == state; });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_string(state)));
  }
  return fmt::format("{} in {}{}{}{}\n", plural(report.outcomes.size(), "step"),
                     format_duration(report.elapsed), parts.empty() ? "" : ": ", join(parts, ", "),
                     untested(report) ? "; no test was run" : "");
}

std::string summary_table(const plan::Report& report, size_t width) {
  return align_columns(rows_of(report), width) + derivations_text(report) +
         warnings_text(step_warnings(report)) + summary_line(report);
}

std::string summary_markdown(const RunReport& run, const std::vector<FailureCause>& causes) {
  const plan::Report& report = run.report;
  const std::optional<std::string> none = untested(report);
  std::string out = none ? "### pinwheel: no test was run\n\n" : "### pinwheel\n\n";
  if (none) out += markdown_text(*none) + "\n\n";
  const std::string map = heat_map_markdown(report);
  if (!map.empty()) out += map + "\n";
  bool header = true;
  for (const std::vector<std::string>& row : rows_of(report)) {
    out += "|";
    for (const std::string& cell : row) out += fmt::format(" {} |", markdown_text(cell));
    out += "\n";
    if (header) out += "|---|---|---|---|\n";
    header = false;
  }
  return out + "\n" + summary_line(report) + causes_markdown(causes) +
         derivations_markdown(report) + warnings_markdown(step_warnings(report)) +
         timeline_markdown(report) + reproduce_markdown(run);
}

}  // namespace pinwheel::report
