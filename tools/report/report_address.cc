#include "report/report_address.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::report {

std::string report_address(const std::map<std::string, std::string>& variables) {
  const std::string server = value_at(variables, "GITHUB_SERVER_URL");
  const std::string repository = value_at(variables, "GITHUB_REPOSITORY");
  const std::string run = value_at(variables, "GITHUB_RUN_ID");
  const bool kept = !value_at(variables, "GITHUB_STEP_SUMMARY").empty();
  if (!kept || server.empty() || repository.empty() || run.empty()) return {};
  const std::string attempt = value_at(variables, "GITHUB_RUN_ATTEMPT");
  const std::string part = attempt.empty() ? "" : "/attempts/" + attempt;
  return fmt::format("{}/{}/actions/runs/{}{}", server, repository, run, part);
}

}  // namespace pinwheel::report
