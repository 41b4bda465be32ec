#pragma once
#include <map>
#include <string>

namespace pinwheel::report {

/// The page of this workflow run, which shows the step summaries with their reports: from what
/// GitHub Actions sets. Empty elsewhere, and where no step summary is kept.
std::string report_address(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::report
