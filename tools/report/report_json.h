#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/outcome.h"

namespace pinwheel::report {

/// A report as JSON, schema `pinwheel-report/1`: exit code, signal, elapsed_ms and the outcomes in
/// plan order. Ends in a newline.
std::string report_json(const plan::Report& report);

/// The inverse; `config` for another schema or text that is no report.
Result<plan::Report> parse_report(std::string_view json);

}  // namespace pinwheel::report
