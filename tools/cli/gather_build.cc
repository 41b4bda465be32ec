#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "cli/gather.h"
#include "env/made_toolkit.h"
#include "env/request.h"
#include "host/git/git.h"
#include "host/git/source_tree.h"
#include "host/machine/contained_machine.h"
#include "host/machine/local_machine.h"
#include "host/provision/conda_find.h"
#include "host/provision/env_resolve.h"
#include "host/provision/toolkit.h"
#include "host/system/process.h"
#include "plan/environments.h"
#include "plan/image_tests.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

// Variables of the user's that decide what a build makes; their names are never changed on the way.
constexpr std::array<std::string_view, 8> kDeciding = {
    "CC", "CXX", "CUDAHOSTCXX", "CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "NVCC_APPEND_FLAGS"};

/// What the host's compiler says of itself; empty when there is none, which the checks then report.
std::string host_compiler(const std::map<std::string, std::string>& variables) {
  host::ChildProcesses process;
  const auto named = variables.find("CXX");
  const std::string program = named == variables.end() ? "c++" : named->second;
  const Result<ports::Captured> ran =
      process.capture({{program, "-dumpfullversion", "-dumpmachine"}, "/", variables, {}});
  return ran && ran->exit.ok() ? replace_all(ran->out, "\n", " ") : std::string();
}

std::string describe(const env::Request& request) {
  std::string text = "Python " + request.python;
  if (!request.conda.packages.empty()) text += ", " + join(request.conda.packages, ", ");
  if (!request.torch.spec.empty()) text += ", " + request.torch.spec;
  if (!request.toolkit.empty()) text += ", " + request.toolkit;
  return text;
}

/// The container in which a request is resolved; null where that is the host.
Result<std::unique_ptr<host::ContainedMachine>> contain(const host::LocalMachine& local,
                                                        const host::Workplace& workplace,
                                                        const env::Request& request) {
  return host::contain(local.machine, workplace, request.container, "resolve", workplace.stop);
}

using OfPackages =
    std::function<Done(const host::EnvMachine&, const env::Request&, env::ToolkitSource)>;

enum class SolvedBy { pip, conda };

/// Says what is resolved, and what is installed for that, before it is.
void announce(const host::EnvMachine& machine, const std::string& what, SolvedBy by,
              Streams& streams) {
  streams.note(fmt::format("resolving {}\n", what));
  if (by == SolvedBy::pip) return;
  const std::optional<std::string> notice = host::conda_notice(machine);
  if (notice) streams.note(*notice + "\n");
}

/// The key of builds names the packages of a toolkit exactly.
void enter_made_toolkit(const env::Request& request, const std::string& digest,
                        const env::Resolution& packages, Facts& facts) {
  facts.plan.resolutions[digest] = packages.digest();
  facts.plan.toolkits[env::toolkit_digest(request)] = {
      env::toolkit_id(env::toolkit_name(request.toolkit), packages), plan::ToolkitOrigin::made};
}

/// The packages of a toolkit, resolved where they are not on record.
Done gather_made_toolkit(const host::EnvMachine& machine, const env::Request& request,
                         env::ToolkitSource source, Refresh refresh, Streams& streams,
                         Facts& facts) {
  TRY(const env::Request packages, env::toolkit_packages(request, source));
  const std::string digest = env::digest(packages);
  // A lock has put its packages on record, and decides.
  if (facts.locked.contains(digest)) refresh = Refresh::no;
  if (!host::load_resolution(machine, digest) || refresh == Refresh::yes) {
    const bool conda = source == env::ToolkitSource::conda;
    announce(machine,
             fmt::format("the toolkit {} from {}", request.toolkit, conda ? "conda" : "PyPI"),
             conda ? SolvedBy::conda : SolvedBy::pip, streams);
  }
  TRY(const host::Resolved resolved, host::resolve_toolkit(machine, request, source, refresh));
  enter_made_toolkit(request, digest, resolved.resolution, facts);
  return {};
}

/// The same as far as they are on record.
Done recall_made_toolkit(const host::EnvMachine& machine, const env::Request& request,
                         env::ToolkitSource source, Facts& facts) {
  TRY(const env::Request packages, env::toolkit_packages(request, source));
  const std::string digest = env::digest(packages);
  const Result<env::Resolution> known = host::load_resolution(machine, digest);
  if (known) enter_made_toolkit(request, digest, *known, facts);
  return {};
}

/// The exact toolkit of each request; `of_packages` finds those that are made of some. Returns what
/// went wrong where nobody asked for that: the step that needs it fails, the others need not.
Result<std::vector<Error>> gather_toolkits(const host::LocalMachine& local,
                                           const host::Workplace& workplace,
                                           const std::vector<plan::BuildRequest>& builds,
                                           const OfPackages& of_packages, Facts& facts) {
  using Place = std::pair<std::string, bool>;  // the container, and whether it alone counts
  std::map<Place, std::vector<env::Toolkit>> toolkits;
  std::vector<Error> warnings;
  for (const auto& [build, request] : builds) {
    if (request.toolkit.empty()) continue;
    TRY(const std::unique_ptr<host::ContainedMachine> contained,
        contain(local, workplace, request));
    const host::EnvMachine& machine = contained ? contained->machine() : local.machine;
    const auto [found, is_new] = toolkits.try_emplace(
        {env::digest(request.container), request.toolkit_from == matrix::ToolkitFrom::container});
    if (is_new) found->second = host::list_toolkits(machine, request);
    const env::ToolkitSource source = env::toolkit_source(request, found->second);
    if (source == env::ToolkitSource::machine) {
      for (const env::Toolkit& toolkit : found->second) {
        if (toolkit.name != env::toolkit_name(request.toolkit)) continue;
        facts.plan.toolkits.emplace(env::toolkit_digest(request),
                                    plan::ToolkitFact{toolkit.release});
      }
      continue;
    }
    Done resolved = of_packages(machine, request, source);
    if (resolved) continue;
    if (request.toolkit_from != matrix::ToolkitFrom::automatic) {
      return fail(std::move(resolved).error());
    }
    warnings.push_back(std::move(resolved).error());
  }
  return warnings;
}

/// The environments of builds and tests, those of tests on distributions last.
Result<std::vector<env::Request>> all_requests(const Undertaking& what, const Facts& facts) {
  const auto& [loaded, outline, options] = what;
  TRY(std::vector<env::Request> requests,
      plan::requests_of(loaded.matrix, loaded.expansion, outline, options));
  TRY(const std::vector<plan::ImageTest> tests,
      plan::image_tests(loaded.matrix, loaded.expansion, outline, options));
  for (env::Request& request : plan::requests_of(tests, facts.plan, options)) {
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace

bool decides_build(std::string_view name) {
  return std::find(kDeciding.begin(), kDeciding.end(), name) != kDeciding.end();
}

Done gather_build_facts(const Loaded& loaded, const host::Workplace& workplace, Facts& facts) {
  host::LibGit2 git;
  const matrix::Package& package = loaded.matrix.package;
  if (package.requirement.empty()) {
    TRY(facts.plan.source, host::read_source(git, workplace.matrix_directory / package.source));
  } else {
    // An index never serves other bytes for a pinned sdist; the name is the digest.
    facts.plan.source = {{}, package.requirement, package.requirement};
  }
  for (const std::string_view name : kDeciding) {
    const auto found = workplace.variables.find(std::string(name));
    if (found != workplace.variables.end()) facts.plan.variables[found->first] = found->second;
  }
  facts.plan.toolchain = host_compiler(workplace.variables);
  return {};
}

Done gather_resolutions(const Undertaking& what, const host::Workplace& workplace, Refresh refresh,
                        Streams& streams, Facts& facts) {
  const host::LocalMachine local(workplace);
  TRY(const std::vector<env::Request> requests, all_requests(what, facts));
  const auto of_packages = [&](const host::EnvMachine& machine, const env::Request& request,
                               env::ToolkitSource source) {
    return gather_made_toolkit(machine, request, source, refresh, streams, facts);
  };
  TRY(const std::vector<plan::BuildRequest> builds,
      plan::build_requests(what.loaded.matrix, what.loaded.expansion, what.outline, what.options));
  TRY(const std::vector<Error> lacking,
      gather_toolkits(local, workplace, builds, of_packages, facts));
  for (const Error& warning : lacking) streams.warn(warning);
  for (const env::Request& request : requests) {
    const std::string digest = env::digest(request);
    if (facts.locked.contains(digest)) {
      // The lock decides, also of what would be resolved anew each day.
      TRY(const env::Resolution locked, host::load_resolution(local.machine, digest));
      facts.plan.resolutions[digest] = locked.digest();
      continue;
    }
    TRY(const std::unique_ptr<host::ContainedMachine> contained,
        contain(local, workplace, request));
    const host::EnvMachine& machine = contained ? contained->machine() : local.machine;
    const bool recorded = host::load_resolution(machine, digest).has_value();
    if (!recorded || refresh == Refresh::yes) {
      const bool conda = !request.conda.packages.empty();
      announce(machine, describe(request), conda ? SolvedBy::conda : SolvedBy::pip, streams);
    }
    TRY(const host::Resolved resolved, host::resolve(machine, request, refresh));
    for (const Error& warning : resolved.warnings) streams.warn(warning);
    facts.plan.resolutions[digest] = resolved.resolution.digest();
  }
  return {};
}

Result<std::vector<RecordedResolution>> gather_recorded(const Undertaking& what,
                                                        const host::Workplace& workplace,
                                                        Facts& facts) {
  const host::LocalMachine local(workplace);
  TRY(const std::vector<env::Request> requests, all_requests(what, facts));
  const auto on_record = [&](const host::EnvMachine& machine, const env::Request& request,
                             env::ToolkitSource source) {
    return recall_made_toolkit(machine, request, source, facts);
  };
  TRY(std::vector<plan::BuildRequest> builds,
      plan::build_requests(what.loaded.matrix, what.loaded.expansion, what.outline, what.options));
  // Nobody can look for a toolkit in an image that is not there.
  std::erase_if(builds, [&facts](const plan::BuildRequest& build) {
    const bool contained = !build.request.container.base.empty();
    return contained && plan::image_key(facts.plan, build.request).empty();
  });
  TRY_DONE(gather_toolkits(local, workplace, builds, on_record, facts));
  std::vector<RecordedResolution> recorded;
  for (const env::Request& request : requests) {
    RecordedResolution& one = recorded.emplace_back();
    one.environment = describe(request);
    const std::string digest = env::digest(request);
    const Result<env::Resolution> known = host::load_resolution(local.machine, digest);
    if (!known || env::is_nightly(request)) continue;
    facts.plan.resolutions[digest] = known->digest();
    one.age = std::chrono::floor<std::chrono::seconds>(local.clock.now()) - known->at;
  }
  return recorded;
}

}  // namespace pinwheel::cli
