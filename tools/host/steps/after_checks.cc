#include "host/steps/after_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "compat/wheel_policy.h"
#include "env/arch_list.h"
#include "host/steps/operators_check.h"
#include "host/steps/symbols_check.h"
#include "host/system/file_source.h"
#include "host/system/log_tail.h"
#include "inspect/gather.h"
#include "inspect/rules.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Only the build's log can tell where its architectures come from.
std::vector<inspect::Finding> with_arch_list_hint(std::vector<inspect::Finding> findings,
                                                  const fs::path& log) {
  constexpr uint64_t kTail = 1 << 20;
  for (inspect::Finding& finding : findings) {
    if (finding.rule != "device-code") continue;
    std::string hint = env::arch_list_hint(log_tail(log, kTail));
    if (!hint.empty()) finding.hint = std::move(hint);
  }
  return findings;
}

Error as_error(const fs::path& wheel, const std::vector<inspect::Finding>& findings) {
  Error error{ErrorKind::check, fmt::format("{} violates {}", quoted(wheel.filename().string()),
                                            plural(findings.size(), "rule"))};
  for (const inspect::Finding& finding : findings)
    error.causes.push_back(inspect::to_error(finding));
  return error;
}

}  // namespace

Done check_after(const StepContext& context, const plan::BuildWheel& action, const BuildSite& site,
                 const wheel::Naming& naming, const fs::path& finished) {
  const std::vector<matrix::Check>& checks = action.settings.checks.after;
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(finished));
  TRY(const inspect::WheelFacts facts, inspect::gather(finished.filename().string(), *source));
  TRY(compat::WheelPolicy policy, compat::wheel_policy(action.settings));
  policy.expected.distribution = naming.distribution;
  policy.expected.version = naming.version;
  TRY(policy.expected.judge_symbols, symbols_judge(context, action));
  TRY(const std::vector<inspect::Finding> findings,
      inspect::check(facts, policy.expected, policy.rules));
  const std::vector<inspect::Finding> failures = inspect::failures(findings, policy.strict);
  if (!failures.empty()) {
    return fail(as_error(finished, with_arch_list_hint(failures, context.attempt.log)));
  }
  const matrix::Check* const operators = compat::find_check(checks, "operators");
  if (operators == nullptr) return {};
  return check_operators(context, site, finished, action.compute, operators->arguments);
}

}  // namespace pinwheel::host
