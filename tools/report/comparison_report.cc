#include "report/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "compat/demangle.h"
#include "report/difference_report.h"
#include "report/failure.h"
#include "report/kernel_table.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

using analysis::ComparedStep;

constexpr size_t kMostLines = 20;
constexpr size_t kMostMarkdown = 60'000;
/// "1234 more changed files".
constexpr size_t kMostAfterWheels = 100;

/// Lines below a heading.
struct ComparisonSection {
  std::string title;
  std::vector<std::string> lines;
};

std::string growth_text(uint64_t before, uint64_t after) {
  const uint64_t difference = after > before ? after - before : before - after;
  const std::string sign = after >= before ? "+" : "-";
  const std::string share =
      before == 0
          ? ""
          : fmt::format(", {}{:.1f}%", sign,
                        100.0 * static_cast<double>(difference) / static_cast<double>(before));
  return fmt::format("{} -> {} ({}{}{})", format_bytes(before), format_bytes(after), sign,
                     format_bytes(difference), share);
}

std::string usual_text(const std::optional<analysis::UsualDuration>& usual) {
  if (!usual) return {};
  return fmt::format(", usually {} to {} in {}", format_duration(usual->p10),
                     format_duration(usual->p90), plural(usual->runs, "run"));
}

std::string duration_text(const ComparedStep& step) {
  const double ratio = step.took.count() == 0
                           ? 0
                           : 100.0 * static_cast<double>(step.now_takes.count()) /
                                     static_cast<double>(step.took.count()) -
                                 100.0;
  return fmt::format("{}: {} -> {} ({:+.0f}%){}", step.id, format_duration(step.took),
                     format_duration(step.now_takes), ratio, usual_text(step.usual));
}

std::string state_text(const ComparedStep& step) {
  return fmt::format("{}: {} -> {}{}", step.id, to_string(step.before), to_string(step.after),
                     step.reason.empty() ? "" : ": " + step.reason);
}

std::string stop_text(const ComparedStep& step) {
  return fmt::format("{}: {}{}", step.id, to_string(step.after),
                     step.reason.empty() ? "" : ": " + step.reason);
}

/// The reason names the test.
std::string shortfall_text(const ComparedStep& step) {
  return step.reason;
}

std::string evidence_change(const ComparedStep& step) {
  return fmt::format("{}: {} -> {}", step.id, to_string(step.evidence),
                     to_string(step.now_evidence));
}

template <class Item, class Text>
void add_section(std::string title, const std::vector<Item>& items, const Text& text,
                 std::vector<ComparisonSection>& out) {
  if (items.empty()) return;
  ComparisonSection section{std::move(title), {}};
  section.lines.reserve(items.size());
  for (const Item& item : items) section.lines.push_back(text(item));
  out.push_back(std::move(section));
}

void add_names(const inspect::NameChanges& changes, const std::string& what,
               std::vector<std::string>& out) {
  for (const std::string& name : changes.gained) out.push_back(fmt::format("+ {} {}", what, name));
  for (const std::string& name : changes.lost) out.push_back(fmt::format("- {} {}", what, name));
}

std::string kernel_name(const std::string& mangled, const std::string& architecture) {
  return fmt::format("{} for {}", compat::brief_name(compat::demangle(mangled)), architecture);
}

void add_wheel_lines(const inspect::WheelDifference& difference, std::vector<std::string>& out) {
  for (const inspect::UnreadPart& part : difference.unread) out.push_back(unread_text(part));
  add_names(difference.requirements, "requirement", out);
  add_names(difference.architectures, "device code", out);
  add_names(difference.operators, "operator", out);
  add_names(difference.needed, "library", out);
  for (const inspect::ChangedKernel& each : difference.kernels.changed) {
    out.push_back(fmt::format("kernel {}: {}", kernel_name(each.after.name, each.architecture),
                              kernel_change_text(each)));
  }
  for (const inspect::PlacedKernel& each : difference.kernels.gained) {
    out.push_back("+ kernel " + kernel_name(each.kernel.name, each.architecture));
  }
  for (const inspect::PlacedKernel& each : difference.kernels.lost) {
    out.push_back("- kernel " + kernel_name(each.kernel.name, each.architecture));
  }
  for (const inspect::SizeChange& each : difference.sizes) {
    out.push_back(fmt::format("{} {}: {}", to_string(each.part), each.name,
                              growth_text(each.before, each.after)));
  }
}

std::string file_name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

ComparisonSection section_of(const ComparedWheel& wheel) {
  const auto& [step, before, after] = wheel.file;
  ComparisonSection section;
  if (!before) {
    section.title = fmt::format("{}: {} is new, {}", step, file_name_of(after->path),
                                format_bytes(after->size));
  } else if (!after) {
    section.title = fmt::format("{}: {} is gone", step, file_name_of(before->path));
  } else {
    section.title =
        fmt::format("{}: {}", file_name_of(after->path), growth_text(before->size, after->size));
  }
  if (wheel.difference) {
    add_wheel_lines(*wheel.difference, section.lines);
  } else if (!wheel.unread.empty()) {
    section.lines.push_back("contents not compared: " + wheel.unread);
  }
  return section;
}

/// What got worse first.
std::vector<ComparisonSection> step_sections(const analysis::RunComparison& runs) {
  std::vector<ComparisonSection> out;
  const auto name = [](const std::string& id) { return id; };
  add_section("newly red", runs.newly_red, state_text, out);
  add_section("no longer run, because a step before them failed", runs.newly_blocked, state_text,
              out);
  add_section("newly skipped", runs.newly_skipped, state_text, out);
  add_section("stopped before their end", runs.stopped, stop_text, out);
  add_section("with less evidence than their publication requires", runs.too_little_evidence,
              shortfall_text, out);
  add_section("less evidence", runs.less_evidence, evidence_change, out);
  add_section("without a result now", runs.lost, name, out);
  add_section("slower", runs.slower, duration_text, out);
  add_section("still red", runs.still_red, state_text, out);
  add_section("fixed", runs.fixed, state_text, out);
  add_section("faster", runs.faster, duration_text, out);
  add_section("new steps", runs.gained, name, out);
  return out;
}

std::string summary_of(const RunDifference& difference) {
  const analysis::RunComparison& runs = difference.runs;
  std::vector<std::string> parts = {plural(runs.shared, "step") + " in both"};
  const auto add = [&](size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(runs.newly_red.size(), "newly red");
  add(runs.newly_blocked.size(), "no longer run");
  add(runs.newly_skipped.size(), "newly skipped");
  add(runs.stopped.size(), "stopped");
  add(runs.too_little_evidence.size(), "with too little evidence");
  add(runs.less_evidence.size(), "with less evidence");
  add(runs.fixed.size(), "fixed");
  add(runs.slower.size(), "slower");
  add(runs.faster.size(), "faster");
  add(difference.wheels.size(), "changed files");
  return join(parts, ", ");
}

std::string durations_note(const RunDifference& difference) {
  const analysis::RunComparison& runs = difference.runs;
  std::string note = fmt::format(
      "durations compared: {}, those that both runs executed; a difference counts "
      "above {}% and {} s",
      plural(runs.timed, "step"), analysis::kLeastPercent, analysis::kLeastDifference.count());
  if (runs.with_usual > 0) {
    note += fmt::format(", and for {} with earlier runs only if it is also unusual in them",
                        plural(runs.with_usual, "step"));
  }
  if (runs.within_usual > 0) {
    note += fmt::format("; usual differences not shown: {}", runs.within_usual);
  }
  return note;
}

/// A text as code: nothing in it is Markdown. The fence is longer than any run of backticks in it.
std::string code_span(const std::string& text) {
  const std::string line = visible(text);
  size_t longest = 0;
  size_t run = 0;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return longest == 0 ? fence + line + fence : fmt::format("{} {} {}", fence, line, fence);
}

std::string markdown_lines(const ComparisonSection& section, size_t most) {
  std::string out;
  for (size_t i = 0; i < section.lines.size() && i < most; ++i) {
    out += fmt::format("- {}\n", code_span(section.lines[i]));
  }
  if (section.lines.size() > most)
    out += fmt::format("- and {} more\n", section.lines.size() - most);
  return out;
}

nlohmann::json step_object(const ComparedStep& step) {
  const auto side = [](plan::StepState state, std::chrono::milliseconds took,
                       plan::Evidence evidence) {
    return nlohmann::json{{"state", to_string(state)},
                          {"elapsed_ms", took.count()},
                          {"evidence", to_string(evidence)}};
  };
  nlohmann::json usual;
  if (step.usual) {
    usual = {{"runs", step.usual->runs},
             {"p10_ms", step.usual->p10.count()},
             {"p50_ms", step.usual->p50.count()},
             {"p90_ms", step.usual->p90.count()}};
  }
  return {{"id", step.id},
          {"before", side(step.before, step.took, step.evidence)},
          {"after", side(step.after, step.now_takes, step.now_evidence)},
          {"reason", step.reason},
          {"usual", std::move(usual)}};
}

nlohmann::json steps_array(const std::vector<ComparedStep>& steps) {
  nlohmann::json out = nlohmann::json::array();
  for (const ComparedStep& step : steps) out.push_back(step_object(step));
  return out;
}

nlohmann::json output_object(const std::optional<plan::Output>& output) {
  if (!output) return nullptr;
  return {{"path", output->path}, {"sha256", output->sha256}, {"size", output->size}};
}

nlohmann::json wheel_object(const ComparedWheel& wheel) {
  nlohmann::json out = {{"step", wheel.file.step},
                        {"before", output_object(wheel.file.before)},
                        {"after", output_object(wheel.file.after)},
                        {"unread", nullptr}};
  if (!wheel.unread.empty()) out["unread"] = wheel.unread;
  if (wheel.difference) {
    put_difference(*wheel.difference, out);
  } else {
    for (const char* const key : {"requirements", "architectures", "operators", "members", "needed",
                                  "kernels", "sizes", "unread_parts"}) {
      out[key] = nullptr;
    }
  }
  return out;
}

}  // namespace

std::string comparison_text(const RunDifference& difference) {
  Lines lines(fmt::format("{} -> {}", difference.before, difference.after));
  lines.add("result", summary_of(difference));
  std::vector<ComparisonSection> sections = step_sections(difference.runs);
  for (const ComparedWheel& wheel : difference.wheels) sections.push_back(section_of(wheel));
  std::string out = lines.take();
  for (const ComparisonSection& section : sections) {
    out += "\n" + visible(section.title) + "\n";
    for (size_t i = 0; i < section.lines.size() && i < kMostLines; ++i) {
      out += "  " + visible(section.lines[i]) + "\n";
    }
    if (section.lines.size() > kMostLines) {
      out += fmt::format("  and {} more; `--json` has all\n", section.lines.size() - kMostLines);
    }
  }
  return out + "\n" + durations_note(difference) + "\n";
}

std::string comparison_markdown(const RunDifference& difference) {
  std::string out = fmt::format("### Compared with {}\n\n{}\n", markdown_text(difference.before),
                                markdown_text(summary_of(difference)));
  for (const ComparisonSection& section : step_sections(difference.runs)) {
    out += fmt::format("\n**{}**\n\n{}", section.title, markdown_lines(section, kMostLines));
  }
  size_t omitted = 0;
  for (const ComparedWheel& wheel : difference.wheels) {
    const ComparisonSection section = section_of(wheel);
    std::string text =
        fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n",
                    markdown_text(section.title), markdown_lines(section, kMostLines));
    if (out.size() + text.size() + kMostAfterWheels > kMostMarkdown) {
      ++omitted;
    } else {
      out += text;
    }
  }
  if (omitted > 0) out += fmt::format("\n{} more changed files\n", omitted);
  if (out.size() > kMostMarkdown) {
    return fmt::format("### Compared with {}\n\n{}; too long to show\n",
                       markdown_text(difference.before), markdown_text(summary_of(difference)));
  }
  return out + fmt::format("\n<sub>{}</sub>\n", durations_note(difference));
}

std::string comparison_json(const RunDifference& difference) {
  const analysis::RunComparison& runs = difference.runs;
  nlohmann::json out = {{"schema", "pinwheel-comparison/1"},
                        {"before", difference.before},
                        {"after", difference.after},
                        {"shared", runs.shared},
                        {"timed", runs.timed},
                        {"with_usual", runs.with_usual},
                        {"within_usual", runs.within_usual},
                        {"newly_red", steps_array(runs.newly_red)},
                        {"newly_blocked", steps_array(runs.newly_blocked)},
                        {"newly_skipped", steps_array(runs.newly_skipped)},
                        {"stopped", steps_array(runs.stopped)},
                        {"too_little_evidence", steps_array(runs.too_little_evidence)},
                        {"less_evidence", steps_array(runs.less_evidence)},
                        {"still_red", steps_array(runs.still_red)},
                        {"fixed", steps_array(runs.fixed)},
                        {"slower", steps_array(runs.slower)},
                        {"faster", steps_array(runs.faster)},
                        {"gained", runs.gained},
                        {"lost", runs.lost},
                        {"wheels", nlohmann::json::array()}};
  for (const ComparedWheel& wheel : difference.wheels) out["wheels"].push_back(wheel_object(wheel));
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
