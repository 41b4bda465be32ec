#include "slurm/job_result.h"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace pinwheel::slurm {
namespace {

using JsonValue = nlohmann::json;
constexpr const char* kResultSchema = "pinwheel-job/1";

Result<std::optional<plan::StepOutcome>> outcome_in(const JsonValue& report,
                                                    const std::string& step) {
  std::optional<plan::StepOutcome> found;
  if (!report.is_object()) return found;
  for (const JsonValue& each : report.at("outcomes")) {
    if (each.at("id").get<std::string>() != step) continue;
    TRY(found, plan::parse_outcome(each.dump()));
  }
  return found;
}

Error not_a_result(const std::string& token, const std::string& why) {
  return {ErrorKind::config, fmt::format("the result of job {} cannot be read: {}", token, why)};
}

}  // namespace

std::string result_json(const std::string& token, int code, const plan::StepOutcome& outcome) {
  JsonValue report = JsonValue::object();
  report["outcomes"] = JsonValue::array({parse_json(plan::outcome_json(outcome))});
  return JsonValue{
             {"schema", kResultSchema}, {"token", token}, {"exit_code", code}, {"report", report}}
             .dump() +
         "\n";
}

Result<JobResult> parse_job_result(std::string_view text, const std::string& token,
                                   const std::string& step) {
  try {
    const JsonValue json = parse_json(text);
    if (json.at("schema") != kResultSchema) return fail(not_a_result(token, "unknown schema"));
    if (json.at("token") != token) return fail(not_a_result(token, "it belongs to another job"));
    JobResult result;
    json.at("exit_code").get_to(result.exit_code);
    TRY(result.outcome, outcome_in(json.at("report"), step));
    return result;
  } catch (const std::exception& thrown) {
    return fail(not_a_result(token, thrown.what()));
  }
}

std::string claim_json(const JobClaim& claim) {
  JsonValue json = {
      {"submission", claim.submission}, {"index", claim.index}, {"seconds", claim.seconds}};
  if (!claim.allocation.empty()) {
    json["allocation"] = claim.allocation;
    json["host"] = claim.host;
    json["process"] = claim.process;
  }
  return json.dump() + "\n";
}

Result<JobClaim> parse_claim(std::string_view text) {
  try {
    const JsonValue json = parse_json(text);
    return JobClaim{json.at("submission").get<std::string>(),
                    json.at("index").get<int>(),
                    json.at("seconds").get<int64_t>(),
                    json.value("allocation", ""),
                    json.value("host", ""),
                    json.value("process", int64_t{0})};
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::config, fmt::format("not a claim of a job: {}", thrown.what()));
  }
}

}  // namespace pinwheel::slurm
