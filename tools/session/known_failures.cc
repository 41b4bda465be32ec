#include "session/known_failures.h"

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "base/text.h"
#include "host/system/log_tail.h"
#include "plan/step_id.h"
#include "report/report_address.h"

namespace pinwheel::session {
namespace {

std::string again_line(const prepare::GlobalOptions& global, const RunRequest& request,
                       const std::string& step) {
  // An upload is not repeated by hand, and a repeated step keeps its own command line.
  const std::string& arguments = request.program_arguments;
  const bool same = plan::kind_of_step(step) == plan::StepKind::publish ||
                    arguments.starts_with("reproduce ") || arguments.starts_with("init ");
  if (same) return "pinwheel " + arguments;
  // The runner is gone when people read its log.
  const std::string address =
      request.origin ? report::report_address(request.workplace.variables) : "";
  if (!address.empty()) return shell_join({"pinwheel", "reproduce", address, step});
  const bool usual = global.state_dir == prepare::GlobalOptions().state_dir;
  const std::string where = usual ? "" : " --state-dir " + shell_quote(global.state_dir);
  return fmt::format("pinwheel reproduce {}{}", shell_quote(step), where);
}

constexpr uint64_t kMostOfLog = 1 << 20;  ///< bytes in which its last lines are

report::FailureFacts failure_facts(const prepare::GlobalOptions& global, const RunRequest& request,
                                   const plan::StepOutcome& outcome) {
  report::FailureFacts facts;
  if (!outcome.log.empty()) {
    facts.log_tail = last_lines(host::log_tail(outcome.log, kMostOfLog));
  }
  facts.again = again_line(global, request, outcome.id);
  return facts;
}

}  // namespace

const report::FailureFacts& KnownFailures::of(const plan::StepOutcome& failed) {
  const auto known = known_.find(failed.id);
  if (known != known_.end()) return known->second;
  return known_.emplace(failed.id, failure_facts(global_, request_, failed)).first->second;
}

}  // namespace pinwheel::session
