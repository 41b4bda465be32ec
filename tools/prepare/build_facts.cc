#include "prepare/build_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"
#include "base/utf8.h"
#include "env/arch_list.h"
#include "env/pass_list.h"
#include "host/git/source_tree.h"
#include "prepare/host.h"
#include "prepare/sdist_source.h"

namespace pinwheel::prepare {
namespace {

// User variables that affect the result of a build; their names are not changed.
constexpr std::array<std::string_view, 8> kDeciding = {
    "CC", "CXX", "CUDAHOSTCXX", "CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "NVCC_APPEND_FLAGS"};

// Device architectures for backends that choose them; the matrix's `build.arch-list` wins.

bool lists_architectures(const matrix::Node& sections) {
  const matrix::Node* const build = sections.find("build");
  if (build == nullptr) return false;
  return std::any_of(build->members.begin(), build->members.end(), [](const auto& member) {
    return member.key.ends_with("arch-list") && !member.value.items.empty();
  });
}

/// Whether the matrix has a `build.arch-list` for any variant.
bool lists_architectures(const matrix::Matrix& matrix) {
  const auto& overrides = matrix.overrides;
  return lists_architectures(matrix.sections) ||
         std::any_of(overrides.begin(), overrides.end(),
                     [](const auto& each) { return lists_architectures(each.patch); });
}

void add_words(const matrix::Node& node, std::vector<std::string>& words) {
  if (!node.scalar.empty()) words.push_back(node.scalar);
  for (const matrix::Node& item : node.items) add_words(item, words);
  for (const auto& member : node.members) add_words(member.value, words);
}

/// What the matrix says of builds and their checks, word by word: files that a command names are
/// part of its source.
std::vector<std::string> build_words(const matrix::Matrix& matrix) {
  std::vector<const matrix::Node*> sections = {&matrix.sections};
  for (const auto& each : matrix.overrides) sections.push_back(&each.patch);
  std::vector<std::string> words;
  for (const matrix::Node* const section : sections) {
    for (const char* const name : {"build", "environment"}) {
      if (const matrix::Node* const node = section->find(name)) add_words(*node, words);
    }
  }
  return words;
}

/// Adds those of the variables that the user has set.
template <class Names>
void add_variables(const host::Workplace& workplace, const Names& names,
                   std::map<std::string, std::string>& variables) {
  for (const std::string_view name : names) {
    const auto found = workplace.variables.find(std::string(name));
    if (found != workplace.variables.end()) variables.insert(*found);
  }
}

/// The version text of the compiler that builds with these variables use; empty if there is none,
/// which the checks then report.
std::string host_compiler(const Host& host, const host::Workplace& workplace,
                          const std::map<std::string, std::string>& build) {
  const OpenMachine local = host.machine(workplace);
  const auto named = build.find("CXX");
  const std::string program = named == build.end() ? "c++" : named->second;
  const Result<ports::Captured> ran =
      local->process.capture({{program, "-dumpfullversion", "-dumpmachine"},
                              "/",
                              env::variables_for(env::Helper::compiler, local->variables),
                              {}});
  return ran && ran->exit.ok() ? replace_all(ran->out, "\n", " ") : std::string();
}

/// The last change of the source of wheels. Without a checkout, or if SOURCE_DATE_EPOCH is set, the
/// time is that of the run.
Result<plan::SourceChange> wheel_change(const Host& host, const VersionFacts& version,
                                        const host::Workplace& workplace,
                                        const plan::Source& source) {
  if (version.wheel_change) return *version.wheel_change;
  plan::SourceChange change{version.commit, version.source_date_epoch};
  if (version.commit.empty() || !source.requirement.empty()) return change;
  TRY(const ports::GitChange found,
      host::last_change(host.git, source, host::not_source(workplace)));
  change.commit = found.commit;
  if (!named_date(host.variables)) {
    change.epoch =
        std::chrono::duration_cast<std::chrono::seconds>(found.date.time_since_epoch()).count();
  }
  return change;
}

bool decides_build(std::string_view name) {
  const auto has = [name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return has(kDeciding) || has(env::kArchListVariables);
}

}  // namespace

std::map<std::string, std::string> deciding_variables(
    const std::map<std::string, std::string>& variables) {
  std::map<std::string, std::string> deciding;
  for (const auto& [name, value] : variables) {
    if (decides_build(name)) deciding[name] = value;
  }
  return deciding;
}

Done check_variables(const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    if (is_utf8(value)) continue;
    return fail(ErrorKind::config,
                fmt::format("the variable {} decides builds, and {} is not UTF-8", quoted(name),
                            quoted(value)),
                "rename the files and directories that it names");
  }
  return {};
}

Result<BuildFacts> gather_build_facts(
    const Host& host, const RunScope& scope, const host::Workplace& workplace,
    const std::optional<std::map<std::string, std::string>>& recorded) {
  const matrix::Matrix& matrix = scope.loaded.matrix;
  const matrix::Package& package = matrix.package;
  BuildFacts facts;
  if (package.requirement.empty()) {
    TRY(facts.source, host::read_source(host.git, workplace.matrix_directory / package.source,
                                        host::not_source(workplace)));
    TRY(facts.wheel_source, host::read_wheel_source(facts.source, {package.name, package.ignored,
                                                                   build_words(matrix)}));
  } else {
    TRY(facts.source, sdist_source(host, package.requirement, workplace));
    facts.wheel_source = facts.source;
  }
  TRY(facts.wheel_change, wheel_change(host, scope.version, workplace, facts.wheel_source));
  TRY(facts.build_requires, source_requires(host.files, facts.source.directory));
  if (recorded) {
    facts.variables = deciding_variables(*recorded);
  } else {
    add_variables(workplace, kDeciding, facts.variables);
    add_variables(workplace, env::kArchListVariables,
                  lists_architectures(matrix) ? facts.ignored : facts.variables);
  }
  TRY_DONE(check_variables(facts.variables));
  facts.toolchain = host_compiler(host, workplace, facts.variables);
  return facts;
}

}  // namespace pinwheel::prepare
