#include "cli/html_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/reported_run.h"
#include "compat/assessment.h"
#include "host/run/journal_file.h"
#include "host/system/log_tail.h"
#include "host/system/named_output.h"
#include "host/torch/torch_exports.h"
#include "host/wheels/inspect_path.h"
#include "inspect/rules.h"
#include "pep/name.h"
#include "pep/wheel_name.h"
#include "plan/step_id.h"
#include "report/compat_json.h"
#include "report/failure.h"
#include "report/html_page.h"
#include "report/run_page.h"
#include "report/shipped_documents.h"
#include "report/wheel_page.h"

namespace pinwheel::cli {
namespace {

using HtmlJson = nlohmann::ordered_json;

constexpr size_t kShownRuns = 50;
constexpr uint64_t kEndOfLog = 1 << 20;  ///< bytes that contain its last lines

/// Whether a log is below the state directory: a report from elsewhere may name any file.
bool is_own_log(const std::string& log, const std::string& state_dir) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::weakly_canonical(state_dir, error);
  const std::filesystem::path path = std::filesystem::weakly_canonical(log, error);
  return !error && std::ranges::mismatch(own, path).in1 == own.end();
}

report::FailureFacts facts_of_failure(const plan::StepOutcome& outcome,
                                      const std::string& state_dir) {
  report::FailureFacts facts;
  if (!outcome.log.empty() && is_own_log(outcome.log, state_dir)) {
    facts.log_tail = last_lines(host::log_tail(outcome.log, kEndOfLog));
  }
  if (!plan::publishes(outcome.id)) {
    facts.again = fmt::format("pinwheel reproduce {}", shell_quote(outcome.id));
  }
  return facts;
}

/// The wheels that the steps of a run made or reused, each once.
std::vector<plan::Output> wheels_of(const std::vector<plan::StepOutcome>& outcomes) {
  std::vector<plan::Output> wheels;
  std::set<std::string> seen;
  for (const plan::StepOutcome& outcome : outcomes) {
    if (!plan::makes_files(outcome.id)) continue;
    for (const plan::Output& output : outcome.outputs) {
      if (!output.path.ends_with(".whl")) continue;
      if (seen.insert(output.sha256 + output.path).second) wheels.push_back(output);
    }
  }
  return wheels;
}

/// The file of an output on this machine: its path may be relative to the output directory.
std::optional<std::filesystem::path> present(const prepare::Host& host,
                                             const prepare::GlobalOptions& global,
                                             const plan::Output& output) {
  for (const std::filesystem::path& path :
       {host.at(std::filesystem::path(global.output_dir) / output.path), host.at(output.path)}) {
    if (has_bytes_of(path, output)) return path;
  }
  return std::nullopt;
}

/// The parts of the page about the wheels of a run.
struct WheelParts {
  HtmlJson wheels = HtmlJson::array();
  HtmlJson absent = HtmlJson::array();
  HtmlJson compat = HtmlJson::array();
};

Done add_wheel(const std::filesystem::path& path, const exports::Table& table, WheelParts& parts) {
  inspect::GatherOptions gather;
  gather.measure = inspect::Measure::packing;
  gather.detail = inspect::Detail::kernels;
  TRY(const inspect::WheelFacts facts, host::inspect_wheel({path}, gather));
  TRY(const std::vector<std::string> rules, inspect::chosen_rules({}));
  TRY(const std::vector<inspect::Finding> findings, inspect::check(facts, {}, rules));
  parts.wheels.push_back(report::wheel_page(facts, {}, findings));
  if (!compat::check_assessable(facts)) return {};
  const compat::Assessment assessment = compat::assess(facts, table);
  if (assessment.torch.use != compat::TorchUse::none) {
    parts.compat.push_back(own_json(report::compat_json(assessment)));
  }
  return {};
}

Result<WheelParts> wheel_parts(const prepare::Host& host, const prepare::GlobalOptions& global,
                               const std::vector<plan::StepOutcome>& outcomes, Streams& streams) {
  WheelParts parts;
  const std::vector<plan::Output> wheels = wheels_of(outcomes);
  if (wheels.empty()) return parts;
  TRY(const exports::Table table, host::torch_exports(host.variables, host.files));
  for (const plan::Output& wheel : wheels) {
    const std::optional<std::filesystem::path> path = present(host, global, wheel);
    if (!path) {
      parts.absent.push_back(wheel.path);
      continue;
    }
    if (const Done added = add_wheel(*path, table, parts); !added) {
      streams.warn(added.error());
      parts.absent.push_back(wheel.path);
    }
  }
  return parts;
}

/// The release of the run's wheels, "msgpack 1.1.2", or "msgpack 1.1.2 and 2 more" if there are
/// several; "pinwheel" if the run made no wheels.
std::string projects_of(const std::vector<plan::StepOutcome>& outcomes) {
  std::set<std::string> projects;
  for (const plan::Output& wheel : wheels_of(outcomes)) {
    const std::string file = std::filesystem::path(wheel.path).filename().string();
    const auto name = pep::parse_wheel_name(file);
    if (!name) continue;
    projects.insert(fmt::format("{} {}", pep::normalize_name(name->distribution),
                                pep::to_string(pep::public_part(name->version))));
  }
  if (projects.empty()) return "pinwheel";
  const size_t others = projects.size() - 1;
  return others == 0 ? *projects.begin() : fmt::format("{} and {} more", *projects.begin(), others);
}

std::string title_of_run(const std::vector<plan::StepOutcome>& outcomes,
                         const analysis::RunTrace& trace) {
  std::string steps = fmt::format("{}: {}", projects_of(outcomes), plural(outcomes.size(), "step"));
  if (trace.slices.empty()) return steps;
  // "2026-01-02T03:04:05.678Z": the page itself has the rest.
  const std::string begun = plan::to_string(trace.slices.front().trace.ran->start);
  constexpr size_t kDate = 10;
  return fmt::format("{} on {}", steps, begun.substr(0, kDate));
}

}  // namespace

Done check_html(const std::string& path) {
  if (path.empty()) return {};
  if (path == kStdout) {
    return fail(ErrorKind::usage, "`--html` cannot write to stdout", "name a file");
  }
  TRY_DONE(report::html_page(report::shipped_page_parts(), "", "{}"));
  return {};
}

Done write_html(const prepare::Host& host, const std::string& path, const std::string& title,
                const nlohmann::ordered_json& page, Streams& streams) {
  HtmlJson whole = {{"schema", "pinwheel-page/1"}, {"title", title}};
  whole.update(page);
  // A foreign wheel may contain any bytes; JSON must be UTF-8.
  const std::string json = whole.dump(-1, ' ', false, HtmlJson::error_handler_t::replace);
  TRY(const std::string text, report::html_page(report::shipped_page_parts(), title, json));
  TRY_DONE(host::write_named_output(host.files, path, text));
  streams.note(fmt::format("wrote {} to {}\n", format_bytes(text.size()), quoted(path)));
  return {};
}

Done write_run_html(const prepare::Host& host, const prepare::GlobalOptions& global,
                    const std::string& path, const std::vector<plan::StepOutcome>& outcomes,
                    const analysis::RunTrace& trace, Streams& streams) {
  TRY(const std::vector<run::RecordedRun> runs, host::read_recorded_runs(global.state_dir));
  TRY(WheelParts parts, wheel_parts(host, global, outcomes, streams));
  const auto facts = [&global](const plan::StepOutcome& outcome) {
    return facts_of_failure(outcome, global.state_dir);
  };
  HtmlJson page = HtmlJson::object();
  page["run"] = report::run_page(outcomes, trace);
  page["failures"] = report::failures_page(report::failure_causes({outcomes}, facts));
  page["wheels"] = std::move(parts.wheels);
  page["absent"] = std::move(parts.absent);
  page["compat"] = std::move(parts.compat);
  page["history"] = report::history_page(runs, kShownRuns);
  return write_html(host, path, title_of_run(outcomes, trace), page, streams);
}

}  // namespace pinwheel::cli
