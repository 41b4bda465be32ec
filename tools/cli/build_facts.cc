#include "cli/build_facts.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/sdist_source.h"
#include "host/git/git.h"
#include "host/git/source_tree.h"
#include "host/system/process.h"

namespace pinwheel::cli {
namespace {

// User variables that affect the result of a build; their names are not changed.
constexpr std::array<std::string_view, 8> kDeciding = {
    "CC", "CXX", "CUDAHOSTCXX", "CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "NVCC_APPEND_FLAGS"};

/// The version text of the host's compiler; empty if there is none, which the checks then report.
std::string host_compiler(const std::map<std::string, std::string>& variables) {
  host::ChildProcesses process;
  const auto named = variables.find("CXX");
  const std::string program = named == variables.end() ? "c++" : named->second;
  const Result<ports::Captured> ran =
      process.capture({{program, "-dumpfullversion", "-dumpmachine"}, "/", variables, {}});
  return ran && ran->exit.ok() ? replace_all(ran->out, "\n", " ") : std::string();
}

}  // namespace

bool decides_build(std::string_view name) {
  return std::find(kDeciding.begin(), kDeciding.end(), name) != kDeciding.end();
}

Result<BuildFacts> gather_build_facts(const Loaded& loaded, const host::Workplace& workplace) {
  host::LibGit2 git;
  const matrix::Package& package = loaded.matrix.package;
  BuildFacts facts;
  if (package.requirement.empty()) {
    TRY(facts.source, host::read_source(git, workplace.matrix_directory / package.source));
  } else {
    TRY(facts.source, sdist_source(package.requirement, workplace));
  }
  for (const std::string_view name : kDeciding) {
    const auto found = workplace.variables.find(std::string(name));
    if (found != workplace.variables.end()) facts.variables[found->first] = found->second;
  }
  facts.toolchain = host_compiler(workplace.variables);
  return facts;
}

}  // namespace pinwheel::cli
