#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/origin.h"
#include "plan/outcome.h"

namespace pinwheel::report {

/// A report and the inputs of its run.
struct RunReport {
  plan::Report report;
  std::optional<plan::RunOrigin> origin = std::nullopt;
};

/// A report as JSON, schema `pinwheel-report/2`: exit code, signal, elapsed_ms, the outcomes in
/// plan order, and in `run` the inputs that another machine needs to repeat a step. Ends in a
/// newline.
std::string report_json(const RunReport& report);

/// The inverse; `config` for another schema or text that is not a report.
Result<RunReport> parse_report(std::string_view json);

/// Finds the report in any text that contains one: the JSON itself, a step summary in Markdown, or
/// a web page that shows such a summary. If there are several reports, the last one with a failed
/// step, else the last; if there are very many, only the last ones are considered. `config`, naming
/// `file`, if there is none or none with a known schema.
Result<RunReport> find_report(std::string_view text, const std::string& file);

/// The id of the failed step to reproduce: `asked` (a step's id, or a variant's for its test), else
/// the first that failed. `usage` if that step did not fail, or none did.
Result<std::string> failed_step(const plan::Report& report, const std::string& requested);

/// The page of this workflow run, which shows the step summaries with their reports; from the
/// variables of GitHub Actions. Empty elsewhere, and if no step summary is stored.
std::string report_address(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::report
