#include "host/steps/perform.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "env/package_traffic.h"
#include "host/provision/toolkit.h"
#include "host/steps/build.h"
#include "host/steps/build_site.h"
#include "host/steps/install.h"
#include "host/steps/publish.h"
#include "host/steps/sdist.h"
#include "host/steps/step_context.h"
#include "host/steps/test.h"
#include "host/system/files.h"
#include "host/system/log_tail.h"
#include "plan/cache_output.h"

namespace pinwheel::host {
namespace {

/// The output of an installation goes to the attempt's log.
StepContext with_output(StepContext context) {
  context.machine.output = context.attempt.log;
  return context;
}

struct PerformAction {
  const StepContext& context;

  Result<run::Success> operator()(const plan::CreateEnvironment& action) const {
    TRY(const BaseEnvironment base,
        test_environment(with_output(context), action.request, action.only_tests));
    return run::Success{};
  }
  Result<run::Success> operator()(const plan::MakeToolkit& action) const {
    TRY(const env::Toolkit toolkit, find_toolkit(with_output(context).machine, action.request));
    append_log(context,
               fmt::format("{} {} in {}\n", toolkit.name, toolkit.release, toolkit.prefix));
    return run::Success{};
  }
  Result<run::Success> operator()(const plan::BuildWheel& action) const {
    return perform_build(context, action);
  }
  Result<run::Success> operator()(const plan::CompileDeviceCode& action) const {
    return perform_device_code(context, action);
  }
  Result<run::Success> operator()(const plan::BuildSdist& action) const {
    return perform_sdist(context, action);
  }
  Result<run::Success> operator()(const plan::TestWheel& action) const {
    return perform_test(context, action);
  }
  Result<run::Success> operator()(const plan::InstallWheel& action) const {
    return perform_install(with_output(context), action);
  }
  Result<run::Success> operator()(const plan::Publish& action) const {
    return perform_publish(context, action);
  }
};

/// Whether a step's own work is an installation.
bool installs(const plan::Action& action) {
  return std::holds_alternative<plan::CreateEnvironment>(action) ||
         std::holds_alternative<plan::MakeToolkit>(action);
}

/// Whether the log of a step is that of an installation.
bool fetches(const plan::Action& action) {
  return installs(action) || std::holds_alternative<plan::InstallWheel>(action);
}

/// The trace of an installation: the packages that pip fetched, and whether an environment that
/// existed was used.
class InstallationTrace {
 public:
  explicit InstallationTrace(const run::Attempt& attempt)
      : attempt_(attempt), begun_(log_size(attempt.log)) {}

  void end(const Installing& installing) const {
    if (!attempt_.meter) return;
    const plan::PipTraffic traffic =
        plan::pip_traffic(log_since(attempt_.log, begun_, limits::kFile.most));
    if (traffic.fetched > 0) attempt_.meter->add_fetched(traffic.fetched);
    attempt_.meter->add_hits(traffic.cache);
    if (!installs(attempt_.step->action)) return;
    const bool reused = installing.spent.count() == 0;
    attempt_.meter->add_hits({"environment", reused ? 1U : 0U, reused ? 0U : 1U});
  }

 private:
  const run::Attempt& attempt_;
  const uint64_t begun_;
};

/// Adds the archives of conda packages, which are in no log.
void add_conda(const run::Attempt& attempt, const env::PackageTraffic& traffic) {
  if (!attempt.meter) return;
  if (traffic.fetched > 0) attempt.meter->add_fetched(traffic.fetched);
  attempt.meter->add_hits({"conda", traffic.cached, traffic.downloads});
}

Result<run::Success> perform_as_is(const Workplace& workplace, const run::Attempt& attempt,
                                   std::stop_token stop) {
  if (attempt.meter) {
    attempt.meter->enter(installs(attempt.step->action) ? plan::StepPhase::execution
                                                        : plan::StepPhase::input_fetch);
  }
  TRY(const std::unique_ptr<OpenStep> step, open_step(workplace, attempt, std::move(stop)));
  StepContext context = step->context();
  const auto installing = std::make_shared<Installing>();
  context.machine.installing = installing;
  const InstallationTrace trace(attempt);
  Result<run::Success> success = std::visit(PerformAction{context}, attempt.step->action);
  if (fetches(attempt.step->action)) trace.end(*installing);
  add_conda(attempt, installing->conda);
  if (success && !installs(attempt.step->action)) success->installing = installing->spent;
  return success;
}

Result<run::Success> masked(Result<run::Success> result, const HiddenText& hidden) {
  if (!result) return fail(hidden.mask(std::move(result).error()));
  for (std::string& warning : result->warnings) warning = hidden.mask(warning);
  if (result->skipped) result->skipped = hidden.mask(*result->skipped);
  return result;
}

/// A build may leave its secrets anywhere in its directories.
Done forget_secrets(const run::Attempt& attempt) {
  if (plan::secrets_of(attempt.step->action).empty()) return {};
  return LocalFiles().remove_all(attempt.scratch);
}

}  // namespace

Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop) {
  // Outcomes refer to the log even if nothing is written to it.
  std::ofstream(attempt.log, std::ios::app).close();
  Result<run::Success> result = perform_as_is(workplace, attempt, std::move(stop));
  if (workplace.hidden) result = masked(std::move(result), *workplace.hidden);
  const Done forgotten = forget_secrets(attempt);
  if (result && !forgotten) return fail(forgotten.error());
  return result;
}

}  // namespace pinwheel::host
