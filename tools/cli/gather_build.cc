#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "cli/gather.h"
#include "env/request.h"
#include "host/clock.h"
#include "host/env_resolve.h"
#include "host/files.h"
#include "host/git.h"
#include "host/process.h"
#include "host/source_tree.h"
#include "host/toolkit.h"

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
  if (!request.torch.spec.empty()) text += ", " + request.torch.spec;
  if (!request.toolkit.empty()) text += ", " + request.toolkit;
  return text;
}

}  // namespace

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
  host::LocalFiles files;
  host::ChildProcesses process;
  const host::SystemClock clock;
  const host::EnvMachine machine{files,           process,        clock, workplace.variables,
                                 workplace.cache, workplace.state};
  TRY(const std::vector<env::Request> requests,
      plan::requests_of(what.loaded.matrix, what.loaded.expansion, what.outline, what.options));
  const bool any_toolkit =
      std::any_of(requests.begin(), requests.end(),
                  [](const env::Request& each) { return !each.toolkit.empty(); });
  if (any_toolkit) {
    for (const env::Toolkit& toolkit : host::list_toolkits(machine)) {
      facts.plan.toolkits.emplace(toolkit.name, toolkit.release);
    }
  }
  for (const env::Request& request : requests) {
    const std::string digest = env::digest(request);
    const bool recorded = host::load_resolution(machine, digest).has_value();
    if (!recorded || refresh == Refresh::yes) {
      streams.note(fmt::format("resolving {}\n", describe(request)));
    }
    TRY(const host::Resolved resolved,
        host::resolve(machine, request,
                      refresh == Refresh::yes ? host::Refresh::yes : host::Refresh::no));
    for (const Error& warning : resolved.warnings) streams.warn(warning);
    facts.plan.resolutions[digest] = resolved.resolution.digest();
  }
  return {};
}

}  // namespace pinwheel::cli
