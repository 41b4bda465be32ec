#include "report/report_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "plan/outcome_json.h"

namespace pinwheel::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "pinwheel-report/1";

}  // namespace

std::string report_json(const plan::Report& report) {
  Json json = {{"schema", kSchema},
               {"exit", plan::exit_code(report)},
               {"signal", report.signal},
               {"elapsed_ms", report.elapsed.count()},
               {"outcomes", Json::array()}};
  for (const plan::StepOutcome& one : report.outcomes) {
    json["outcomes"].push_back(Json::parse(plan::outcome_json(one)));
  }
  return json.dump(2) + "\n";
}

Result<plan::Report> parse_report(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (const std::string schema = json.at("schema").get<std::string>(); schema != kSchema) {
      return fail(ErrorKind::config,
                  fmt::format("the report has schema `{}`, expected `{}`", schema, kSchema));
    }
    plan::Report report;
    report.signal = json.at("signal").get<int>();
    report.elapsed = std::chrono::milliseconds(json.at("elapsed_ms").get<int64_t>());
    for (const Json& one : json.at("outcomes")) {
      TRY(plan::StepOutcome outcome, plan::parse_outcome(one.dump()));
      report.outcomes.push_back(std::move(outcome));
    }
    return report;
  } catch (const Json::exception& thrown) {
    return fail(ErrorKind::config, fmt::format("the report is not readable: {}", thrown.what()));
  }
}

}  // namespace pinwheel::report
