#include "prepare/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "env/request.h"
#include "host/machine/contained_machine.h"
#include "host/provision/conda_find.h"
#include "host/provision/env_resolve.h"
#include "host/provision/toolkit.h"
#include "plan/environments.h"
#include "plan/image_tests.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "toolkits/made_toolkit.h"

namespace pinwheel::prepare {
namespace {

std::string describe(const env::Request& request) {
  std::string text = "Python " + request.python;
  if (!request.conda.packages.empty()) text += ", " + join(request.conda.packages, ", ");
  if (!request.torch.spec.empty()) text += ", " + request.torch.spec;
  if (!request.toolkit.empty()) text += ", " + request.toolkit;
  return text;
}

/// The container in which a request is resolved; null for the host.
Result<std::unique_ptr<host::ContainedMachine>> contain(const host::EnvMachine& local,
                                                        const host::Workplace& workplace,
                                                        const env::Request& request) {
  return host::contain(local, workplace, request.container, "resolve", workplace.stop);
}

enum class SolvedBy { pip, conda };

/// Reports what is going to be resolved and installed.
void announce(const host::EnvMachine& machine, const std::string& subject, SolvedBy by,
              ports::Notices& notices) {
  notices.note(fmt::format("resolving {}\n", subject));
  if (by == SolvedBy::pip) return;
  const std::optional<std::string> notice = host::conda_notice(machine);
  if (notice) notices.note(*notice + "\n");
}

/// A toolkit that a build makes from packages.
struct MadeToolkit {
  const env::Request& build;
  toolkits::ToolkitSource source;
  std::string digest;  ///< of the request for its packages
};

/// Finds the packages of a toolkit; nullopt if they are not recorded and not to be resolved.
using FindPackages = std::function<Result<std::optional<env::Resolution>>(const host::EnvMachine&,
                                                                          const MadeToolkit&)>;

/// The packages of a toolkit: recorded ones, else resolved now.
Result<std::optional<env::Resolution>> resolve_made_toolkit(const host::EnvMachine& machine,
                                                            const MadeToolkit& toolkit,
                                                            Refresh refresh,
                                                            ports::Notices& notices) {
  if (!host::load_resolution(machine, toolkit.digest) || refresh == Refresh::yes) {
    const bool conda = toolkit.source == toolkits::ToolkitSource::conda;
    announce(machine,
             fmt::format("the toolkit {} from {}", toolkit.build.toolkit, conda ? "conda" : "PyPI"),
             conda ? SolvedBy::conda : SolvedBy::pip, notices);
  }
  TRY(host::Resolved resolved,
      host::resolve_toolkit(machine, toolkit.build, toolkit.source, refresh));
  return std::move(resolved.resolution);
}

std::optional<env::Resolution> recorded(const host::EnvMachine& machine,
                                        const std::string& digest) {
  Result<env::Resolution> known = host::load_resolution(machine, digest);
  return known ? std::optional(*std::move(known)) : std::nullopt;
}

/// The exact toolkit of a request: a release on the machine, or its packages.
Result<Packages> toolkit_of(const host::EnvMachine& machine, const env::Request& request,
                            const std::vector<env::Toolkit>& present, const FindPackages& find) {
  Packages found;
  const toolkits::ToolkitSource source = toolkits::toolkit_source(request, present);
  if (source == toolkits::ToolkitSource::machine) {
    for (const env::Toolkit& toolkit : present) {
      if (toolkit.name != env::toolkit_name(request.toolkit)) continue;
      found.toolkits.emplace(env::toolkit_digest(request), plan::ToolkitFact{toolkit.release});
    }
    return found;
  }
  TRY(const env::Request requested, toolkits::toolkit_packages(request, source));
  const std::string digest = env::digest(requested);
  TRY(const std::optional<env::Resolution> packages, find(machine, {request, source, digest}));
  if (!packages) return found;
  // The key of a build includes the exact packages of its toolkit.
  found.resolutions[digest] = packages->digest();
  found.toolkits[env::toolkit_digest(request)] = {
      toolkits::toolkit_id(env::toolkit_name(request.toolkit), *packages),
      plan::ToolkitOrigin::made};
  return found;
}

struct FoundToolkits {
  Packages packages = {};
  /// Errors of toolkits that were not found, by toolkit: only the step that needs one fails.
  std::map<std::string, Error> errors = {};
};

/// The exact toolkit of each build.
Result<FoundToolkits> find_toolkits(const host::EnvMachine& local, const host::Workplace& workplace,
                                    const std::vector<plan::BuildRequest>& builds,
                                    const FindPackages& find) {
  using Place = std::pair<std::string, bool>;  // the container, and whether only its toolkits count
  std::map<Place, std::vector<env::Toolkit>> present;
  FoundToolkits all;
  for (const auto& [build, request] : builds) {
    if (request.toolkit.empty()) continue;
    TRY(const std::unique_ptr<host::ContainedMachine> contained,
        contain(local, workplace, request));
    const host::EnvMachine& machine = contained ? contained->machine() : local;
    const auto [there, is_new] =
        present.try_emplace({container::digest(request.container),
                             request.toolkit_from == matrix::ToolkitFrom::container});
    if (is_new) there->second = host::list_toolkits(machine, request);
    Result<Packages> found = toolkit_of(machine, request, there->second, find);
    if (found) {
      all.packages.toolkits.merge(found->toolkits);
      all.packages.resolutions.merge(found->resolutions);
    } else if (request.toolkit_from != matrix::ToolkitFrom::automatic) {
      return fail(std::move(found).error());
    } else {
      all.errors.emplace(env::toolkit_digest(request), std::move(found).error());
    }
  }
  return all;
}

/// Whether a run executes a build, or compiles device code for it.
bool executes(const ExecutedPart& executed, const std::string& build) {
  if (executed.steps.contains(build)) return true;
  return std::ranges::any_of(executed.steps, [&build](const std::string& step) {
    return plan::compiles_device_code(step) && plan::build_of_device_code(step) == build;
  });
}

/// The toolkits' requests of the builds that the run executes. Others need no toolkit here.
Result<std::vector<plan::BuildRequest>> build_requests(const RunView& run) {
  const auto& [matrix, expansion, classes, digest] = run.scope.loaded;
  TRY(std::vector<plan::BuildRequest> builds,
      plan::build_requests(matrix, expansion, run.scope.outline, run.scope.options));
  std::erase_if(builds, [&run](const plan::BuildRequest& build) {
    const auto& executed = run.scope.executed;
    return executed && !executes(*executed, plan::build_id(build.class_id));
  });
  return builds;
}

/// The packages of a request that nothing has decided: recorded ones, else resolved now.
Result<std::string> resolve_request(const host::EnvMachine& local, const host::Workplace& workplace,
                                    const env::Request& request, Refresh refresh,
                                    ports::Notices& notices) {
  TRY(const std::unique_ptr<host::ContainedMachine> contained, contain(local, workplace, request));
  const host::EnvMachine& machine = contained ? contained->machine() : local;
  const bool known = host::load_resolution(machine, env::digest(request)).has_value();
  if (env::has_packages(request) && (refresh == Refresh::yes || !known)) {
    const bool conda = !request.conda.packages.empty();
    announce(machine, describe(request), conda ? SolvedBy::conda : SolvedBy::pip, notices);
  }
  TRY(const host::Resolved resolved, host::resolve(machine, request, refresh));
  for (const Error& warning : resolved.warnings) notices.warn(warning);
  return resolved.resolution.digest();
}

}  // namespace

Result<std::vector<env::Request>> environment_requests(const RunView& run) {
  const auto& [matrix, expansion, classes, digest] = run.scope.loaded;
  const plan::PlanOptions& options = run.scope.options;
  TRY(std::vector<env::Request> requests,
      plan::requests_of(matrix, expansion, run.scope.outline, options));
  TRY(const std::vector<plan::ImageTest> tests,
      plan::image_tests(matrix, expansion, run.scope.outline, options));
  for (env::Request& request : plan::requests_of(tests, run.facts, options)) {
    requests.push_back(std::move(request));
  }
  return requests;
}

Result<Packages> resolve_packages(const RunView& run, const Decided& decided, Refresh refresh,
                                  ports::Notices& notices) {
  const OpenMachine opened = run.host.machine(run.workplace);
  const host::EnvMachine& local = *opened;
  TRY(const std::vector<env::Request> requests, environment_requests(run));
  const auto find = [&](const host::EnvMachine& machine, const MadeToolkit& toolkit) {
    const Refresh afresh = decided.contains(toolkit.digest) ? Refresh::no : refresh;
    return resolve_made_toolkit(machine, toolkit, afresh, notices);
  };
  TRY(const std::vector<plan::BuildRequest> builds, build_requests(run));
  TRY(FoundToolkits toolkits, find_toolkits(local, run.workplace, builds, find));
  for (const auto& [toolkit, warning] : toolkits.errors) notices.warn(warning);
  Packages packages = std::move(toolkits.packages);
  for (const env::Request& request : requests) {
    const std::string digest = env::digest(request);
    if (decided.contains(digest)) {
      // The lock decides, even for nightly requests, which are otherwise resolved again.
      TRY(const env::Resolution locked, host::load_resolution(local, digest));
      packages.resolutions[digest] = locked.digest();
      continue;
    }
    const auto& executed = run.scope.executed;
    if (executed && !executed->requests.contains(digest)) continue;
    TRY(packages.resolutions[digest],
        resolve_request(local, run.workplace, request, refresh, notices));
  }
  return packages;
}

Result<env::Resolution> upgrade_packages(const Host& host, const host::Workplace& workplace,
                                         const env::Request& request, const host::Upgrade& upgrade,
                                         ports::Notices& notices) {
  const OpenMachine opened = host.machine(workplace);
  const host::EnvMachine& local = *opened;
  TRY(const std::unique_ptr<host::ContainedMachine> contained, contain(local, workplace, request));
  const host::EnvMachine& machine = contained ? contained->machine() : local;
  announce(machine, describe(request), SolvedBy::pip, notices);
  TRY(host::Resolved resolved, host::resolve_upgrade(machine, request, upgrade));
  for (const Error& warning : resolved.warnings) notices.warn(warning);
  return std::move(resolved.resolution);
}

Result<RecordedPackages> recall_packages(const RunView& run) {
  const OpenMachine opened = run.host.machine(run.workplace);
  const host::EnvMachine& local = *opened;
  TRY(const std::vector<env::Request> requests, environment_requests(run));
  const auto find = [](const host::EnvMachine& machine,
                       const MadeToolkit& toolkit) -> Result<std::optional<env::Resolution>> {
    return recorded(machine, toolkit.digest);
  };
  TRY(std::vector<plan::BuildRequest> builds, build_requests(run));
  // A toolkit cannot be looked up in an image that does not exist.
  std::erase_if(builds, [&run](const plan::BuildRequest& build) {
    const bool contained = !build.request.container.base.empty();
    return contained && plan::image_key(run.facts, build.request).empty();
  });
  TRY(FoundToolkits toolkits, find_toolkits(local, run.workplace, builds, find));
  RecordedPackages all{std::move(toolkits.packages)};
  for (auto& [toolkit, error] : toolkits.errors) all.errors.push_back(std::move(error));
  for (const env::Request& request : requests) {
    RecordedResolution& one = all.environments.emplace_back();
    one.environment = describe(request);
    const std::string digest = env::digest(request);
    const std::optional<env::Resolution> known = recorded(local, digest);
    if (!known || env::is_nightly(request)) continue;
    all.packages.resolutions[digest] = known->digest();
    one.age = std::chrono::floor<std::chrono::seconds>(local.clock.now()) - known->at;
  }
  return all;
}

}  // namespace pinwheel::prepare
