#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/origin.h"
#include "plan/outcome.h"

namespace pinwheel::report {

/// A report and what its run was made of.
struct RunReport {
  plan::Report report;
  std::optional<plan::RunOrigin> origin = std::nullopt;
};

/// A report as JSON, schema `pinwheel-report/2`: exit code, signal, elapsed_ms, the outcomes in
/// plan order, and as `run` what another machine needs to repeat a step. Ends in a newline.
std::string report_json(const RunReport& report);

/// The inverse; `config` for another schema or text that is no report.
Result<RunReport> parse_report(std::string_view json);

/// The report in any text that holds one: the JSON itself, a step summary in Markdown, the page
/// that shows such a summary. Of several the last with a failed step, else the last. `config`,
/// naming `file`, when there is none or none of a schema that is known here.
Result<RunReport> find_report(std::string_view text, const std::string& file);

/// The id of the failed step that is meant: `asked` (a step's id, or a variant's for its test),
/// else the first that failed. `usage` when that one did not fail, or none did.
Result<std::string> failed_step(const plan::Report& report, const std::string& asked);

}  // namespace pinwheel::report
