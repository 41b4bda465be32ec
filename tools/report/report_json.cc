#include "report/report_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "plan/outcome.h"
#include "plan/provenance.h"
#include "plan/step_id.h"

namespace pinwheel::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "pinwheel-report/2";
constexpr std::string_view kAnySchema = "pinwheel-report/";

/// Decodes the HTML entities of a web page.
std::string without_entities(std::string text) {
  for (const auto& [from, to] : {std::pair{"&quot;", "\""},
                                 {"&#34;", "\""},
                                 {"&#39;", "'"},
                                 {"&lt;", "<"},
                                 {"&gt;", ">"},
                                 {"&amp;", "&"}}) {
    text = replace_all(std::move(text), from, to);
  }
  return text;
}

/// The text of the JSON object with its opening brace at `at`; empty if it is incomplete.
std::string_view object_at(std::string_view text, size_t at) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text.substr(at, i + 1 - at);
    }
  }
  return {};
}

/// The reports in the text, the last one first: each starts with the brace before its schema. Only
/// a limited number of places is tried, because each may take a pass through the rest of the text.
std::vector<std::string_view> objects_in(std::string_view text) {
  std::vector<std::string_view> found;
  uint64_t places = 0;
  size_t at = text.rfind(kAnySchema);
  for (; at != std::string_view::npos && at > 0; at = text.rfind(kAnySchema, at - 1)) {
    // In a web page the quote is an entity.
    if (text[at - 1] != '"') continue;
    if (++places > limits::kReportPlaces) break;
    const size_t brace = text.rfind('{', at);
    if (brace == std::string_view::npos) break;
    const std::string_view object = object_at(text, brace);
    if (!object.empty()) found.push_back(object);
  }
  return found;
}

bool has_failed(const plan::Report& report) {
  for (const plan::StepOutcome& one : report.outcomes) {
    if (one.state == plan::StepState::failed) return true;
  }
  return false;
}

}  // namespace

std::string report_json(const RunReport& run) {
  Json json = {{"schema", kSchema},
               {"exit", plan::exit_code(run.report)},
               {"signal", run.report.signal},
               {"elapsed_ms", run.report.elapsed.count()},
               {"outcomes", Json::array()}};
  for (const plan::StepOutcome& one : run.report.outcomes) {
    json["outcomes"].push_back(own_json(plan::outcome_json(one)));
  }
  if (run.origin) json["run"] = own_json(plan::to_json(*run.origin));
  return json.dump(2) + "\n";
}

Result<RunReport> parse_report(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) {
    return fail(ErrorKind::config,
                fmt::format("the report has more than {} levels", limits::kJsonLevels),
                "get it again from the run");
  }
  try {
    const nlohmann::json json = parse_json(text);
    if (const std::string schema = json.at("schema").get<std::string>(); schema != kSchema) {
      return fail(
          ErrorKind::config,
          fmt::format("the report has schema {}, expected {}", quoted(schema), quoted(kSchema)),
          "use the pinwheel that wrote it");
    }
    RunReport run;
    run.report.signal = json.at("signal").get<int>();
    run.report.elapsed = std::chrono::milliseconds(json.at("elapsed_ms").get<int64_t>());
    for (const nlohmann::json& one : json.at("outcomes")) {
      TRY(plan::StepOutcome outcome, plan::parse_outcome(one.dump()));
      run.report.outcomes.push_back(std::move(outcome));
    }
    if (json.contains("run")) {
      TRY(run.origin, plan::parse_origin(json.at("run").dump()));
    }
    return run;
  } catch (const nlohmann::json::exception& thrown) {
    return fail(ErrorKind::config, fmt::format("cannot parse the report: {}", thrown.what()));
  }
}

Result<RunReport> find_report(std::string_view text, const std::string& file) {
  std::string plain(text);
  std::vector<std::string_view> objects = objects_in(plain);
  if (objects.empty()) {
    plain = without_entities(std::move(plain));
    objects = objects_in(plain);
  }
  if (objects.empty()) {
    return fail(ErrorKind::config, fmt::format("{} contains no report of a run", quoted(file)),
                "`--json` writes one, and a failed run leaves one next to its logs and in the step "
                "summary");
  }
  std::optional<RunReport> last;
  std::optional<Error> trouble;
  for (const std::string_view object : objects) {
    Result<RunReport> read = parse_report(object);
    if (!read) {
      if (!trouble) trouble = std::move(read).error();
      continue;
    }
    if (has_failed(read->report)) return read;
    if (!last) last = *std::move(read);
  }
  if (last) return *std::move(last);
  Error unusable{ErrorKind::config, fmt::format("{} cannot be used", quoted(file))};
  unusable.hint = std::exchange(trouble->hint, {});
  unusable.causes.push_back(*std::move(trouble));
  return fail(std::move(unusable));
}

Result<std::string> failed_step(const plan::Report& report, const std::string& requested) {
  std::vector<std::string> failed;
  for (const plan::StepOutcome& one : report.outcomes) {
    if (one.state == plan::StepState::failed) failed.push_back(one.id);
  }
  if (failed.empty()) {
    return fail(ErrorKind::usage, "no step of that run failed",
                "name a variant to run its build: `pinwheel reproduce ID`");
  }
  if (requested.empty()) return failed.front();
  for (const std::string& id : failed) {
    if (id == requested || id == plan::test_id(requested)) return id;
  }
  return fail(ErrorKind::usage, fmt::format("{} did not fail in that run", quoted(requested)),
              fmt::format("these did: {}", quoted_list(failed)));
}

std::string report_address(const std::map<std::string, std::string>& variables) {
  const std::string run = plan::github_run(variables);
  const bool has_summary = !value_at(variables, "GITHUB_STEP_SUMMARY").empty();
  if (!has_summary || run.empty()) return {};
  const std::string attempt = value_at(variables, "GITHUB_RUN_ATTEMPT");
  return attempt.empty() ? run : fmt::format("{}/attempts/{}", run, attempt);
}

}  // namespace pinwheel::report
