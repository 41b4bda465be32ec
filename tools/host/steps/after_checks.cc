#include "host/steps/after_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "compat/wheel_policy.h"
#include "env/arch_list.h"
#include "host/steps/build_files.h"
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

/// The failures, then the findings that would not have stopped the build.
Error as_error(const fs::path& wheel, const std::vector<inspect::Finding>& failures,
               const std::vector<inspect::Finding>& warnings) {
  Error error{ErrorKind::check, fmt::format("{} violates {}", quoted(wheel.filename().string()),
                                            plural(failures.size(), "rule"))};
  for (const inspect::Finding& finding : failures)
    error.causes.push_back(inspect::to_error(finding));
  for (const inspect::Finding& finding : warnings) {
    Error& cause = error.causes.emplace_back(inspect::to_error(finding));
    cause.message = "warning: " + cause.message;
  }
  return error;
}

void log_findings(const StepContext& context, const fs::path& wheel, std::string_view severity,
                  const std::vector<inspect::Finding>& findings) {
  for (const inspect::Finding& finding : findings) {
    append_log(context, fmt::format("{}: {}: {}\n", severity, quoted(wheel.filename().string()),
                                    join(inspect::to_lines({finding}), "")));
  }
}

std::vector<inspect::Finding> without(std::vector<inspect::Finding> findings,
                                      const std::vector<inspect::Finding>& what) {
  std::erase_if(findings, [&what](const inspect::Finding& finding) {
    return std::find(what.begin(), what.end(), finding) != what.end();
  });
  return findings;
}

}  // namespace

Result<std::vector<inspect::Finding>> check_after(
    const StepContext& context, const plan::BuildWheel& action, const BuildSite& site,
    const wheel::Naming& naming, const fs::path& finished, const std::string& added) {
  const std::vector<matrix::Check>& checks = action.settings.checks.after;
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(finished));
  TRY(const inspect::WheelFacts facts, inspect::gather(finished.filename().string(), *source));
  TRY(compat::WheelPolicy policy, compat::wheel_policy(action.settings, action.compute));
  policy.expected.build = trace_of_build(context.attempt.scratch, context.attempt.log);
  policy.expected.added_requirement = added;
  policy.expected.distribution = naming.distribution;
  policy.expected.version = naming.version;
  TRY(TorchJudges judges, torch_judges(context, action));
  policy.expected.judge_symbols = std::move(judges.symbols);
  policy.expected.judge_bounds = std::move(judges.bounds);
  TRY(const std::vector<inspect::Finding> findings,
      inspect::check(facts, policy.expected, policy.rules));
  const std::vector<inspect::Finding> failures =
      with_arch_list_hint(inspect::failures(findings, policy.strict), context.attempt.log);
  const std::vector<inspect::Finding> warnings =
      without(findings, inspect::failures(findings, policy.strict));
  log_findings(context, finished, "error", failures);
  log_findings(context, finished, "warning", warnings);
  if (!failures.empty()) return fail(as_error(finished, failures, warnings));
  if (const matrix::Check* const operators = compat::find_check(checks, "operators")) {
    TRY_DONE(check_operators(context, action, site, finished, operators->arguments));
  }
  return warnings;
}

}  // namespace pinwheel::host
