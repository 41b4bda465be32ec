#include "prepare/build_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/utf8.h"
#include "env/arch_list.h"
#include "env/pass_list.h"
#include "host/git/source_tree.h"
#include "host/index/fetch_sdist.h"
#include "host/log/logged_http.h"
#include "host/net/http.h"
#include "host/provision/cache_use.h"
#include "matrix/build_requires.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "plan/compiler_profile.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "project/backend_requires.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The cache directory of a requirement. Other settings of pip may find another file of the same
/// name.
fs::path place_of(const std::string& requirement, const host::Workplace& workplace) {
  constexpr std::array kSettings = {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS",
                                    "PIP_NO_INDEX", "PIP_CONFIG_FILE"};
  constexpr size_t kShort = 20;
  std::string all = requirement;
  for (const char* const name : kSettings) all += "\n" + value_at(workplace.variables, name);
  return workplace.cache / "sdists" / sha256_hex(all).substr(0, kShort);
}

Result<host::UnpackedSdist> fetch(const Host& host, const pep::Requirement& pinned,
                                  const fs::path& directory, const host::Workplace& workplace) {
  const env::PipIndexes indexes = pip_settings(host, workplace.log);
  host::HttpOptions options = reading_options(host.variables);
  if (options.ca_bundle.empty()) options.ca_bundle = indexes.certificates;
  const std::shared_ptr<ports::Http> http = host.http(options, workplace.log, workplace.stop);
  Result<host::UnpackedSdist> sdist = host::fetch_sdist(
      *http, indexes, {pinned.name, pep::to_string(pinned.specifiers[0].version), directory},
      workplace.mask);
  if (sdist || sdist.error().kind != ErrorKind::transient) return sdist;
  // The requests were retried already, and no step can be retried yet.
  Error error = std::move(sdist).error();
  error.kind = ErrorKind::environment;
  return fail(std::move(error).with_hint(
      "check the network, and the index in `pip config list`; then run the same command again"));
}

}  // namespace

Result<plan::Source> sdist_source(const Host& host, const std::string& requirement,
                                  const host::Workplace& workplace) {
  const Result<pep::Requirement> pinned = pep::parse_requirement(requirement);
  if (!pinned || pinned->specifiers.size() != 1 || pinned->specifiers[0].wildcard ||
      pinned->specifiers[0].comparison != pep::Comparison::equal) {
    return fail(ErrorKind::config,
                fmt::format("{} does not pin a version", quoted_url(requirement)),
                "name one version: `NAME==VERSION`");
  }
  const fs::path directory = place_of(pep::to_string(*pinned), workplace);
  const OpenMachine local = host.machine(workplace);
  TRY_DONE(local->files.make_directories(directory.parent_path()));
  host::use_directory(*local, directory);
  std::optional<host::UnpackedSdist> sdist = host::existing_sdist(directory);
  if (!sdist) {
    TRY(sdist, fetch(host, *pinned, directory, workplace));
  }
  TRY(plan::Source source, host::read_directory(sdist->source));
  source.requirement = requirement;
  source.url = sdist->url;
  source.archive_sha256 = sdist->sha256;
  return source;
}

namespace {

// User variables that affect the result of a build. Their names are not changed.
constexpr std::array<std::string_view, 9> kDeciding = {
    "CC",       "CXX",     "CUDAHOSTCXX",       "CMAKE_ARGS",          "CFLAGS",
    "CXXFLAGS", "LDFLAGS", "NVCC_APPEND_FLAGS", plan::kProfileVariable};

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

/// Every word of the matrix's builds and checks: files that a command names are part of its source.
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

/// Adds the variables of `names` that the user has set.
template <class Names>
void add_variables(const host::Workplace& workplace, const Names& names,
                   std::map<std::string, std::string>& variables) {
  for (const std::string_view name : names) {
    const auto found = workplace.variables.find(std::string(name));
    if (found != workplace.variables.end()) variables.insert(*found);
  }
}

/// The version text of the compiler for builds with these variables; empty if there is none, which
/// the checks report later.
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

/// The recorded change of a package's source; nullopt if the version is not from a frozen plan.
std::optional<plan::SourceChange> recorded_change(const VersionFacts& version,
                                                  const matrix::Matrix& matrix,
                                                  const std::string& package) {
  if (package == matrix.package.name) return version.wheel_change;
  const auto member = version.family_changes.find(package);
  return member == version.family_changes.end() ? std::nullopt : std::optional(member->second);
}

Result<SourceFacts> gather_source_facts(const Host& host, const RunScope& scope,
                                        const host::Workplace& workplace,
                                        const matrix::Package& package) {
  const matrix::Matrix& matrix = scope.loaded.matrix;
  SourceFacts facts;
  if (package.requirement.empty()) {
    TRY(facts.source, host::read_source(host.git, workplace.matrix_directory / package.source,
                                        host::not_source(workplace)));
    TRY(facts.wheel_source, host::read_wheel_source(facts.source, {package.name, package.ignored,
                                                                   build_words(matrix)}));
  } else {
    TRY(facts.source, sdist_source(host, package.requirement, workplace));
    facts.wheel_source = facts.source;
  }
  const auto recorded = recorded_change(scope.version, matrix, package.name);
  if (recorded) {
    facts.wheel_change = *recorded;
  } else {
    TRY(facts.wheel_change, wheel_change(host, scope.version, workplace, facts.wheel_source));
  }
  TRY(facts.build_requires, source_requires(host.files, facts.source.directory));
  return facts;
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
  BuildFacts facts;
  TRY(facts.package, gather_source_facts(host, scope, workplace, matrix.package));
  for (const matrix::FamilyMember& member : matrix.family) {
    TRY(facts.family[member.package.name],
        gather_source_facts(host, scope, workplace, member.package));
  }
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

namespace {

/// The text of a file; nullopt if there is none.
Result<std::optional<std::string>> text_of(ports::Files& files, const fs::path& file) {
  TRY(const ports::FileStatus status, files.status(file));
  if (status.type == ports::FileType::missing) return std::nullopt;
  TRY(std::string text, files.read(file));
  return std::optional(std::move(text));
}

/// Whether a file may contain requirements. A backend may read any file; these are the usual
/// places.
bool may_decide(const std::string& name) {
  constexpr std::array<std::string_view, 4> kEndings = {".py", ".toml", ".cfg", ".txt"};
  return std::ranges::any_of(kEndings,
                             [&name](std::string_view ending) { return name.ends_with(ending); });
}

/// A digest of the files that decide the backend's answer: those at the top of the source and of
/// the directories of a backend in it.
Result<std::string> digest_inputs(ports::Files& files, const fs::path& source,
                                  const project::BuildSystem& system) {
  std::set<fs::path> directories = {source};
  for (const std::string& path : system.backend_path) {
    directories.insert((source / path).lexically_normal());
  }
  nlohmann::json json = {system.backend, system.backend_path};
  for (const fs::path& directory : directories) {
    TRY(const std::vector<std::string> names, files.list(directory));
    for (const std::string& name : names) {
      if (!may_decide(name)) continue;
      TRY(const ports::FileStatus status, files.status(directory / name));
      if (status.type != ports::FileType::regular) continue;
      TRY(const std::string text, files.read(directory / name));
      json.push_back({name, sha256_hex(text)});
    }
  }
  return sha256_hex(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// The requirements of a project's build: its own, then those of its backend.
std::vector<std::string> needed_by(const project::Pyproject& project) {
  matrix::EnvironmentSettings own;
  own.pip = project.build_system.requires_;
  return matrix::with_build_requires(std::move(own), project::backend_requires(project)).pip;
}

}  // namespace

std::map<std::string, std::vector<std::string>> requires_of(const matrix::Matrix& matrix,
                                                            const BuildFacts& facts) {
  std::map<std::string, std::vector<std::string>> all;
  const auto add = [&all](const std::string& name, const SourceFacts& source) {
    if (!source.build_requires.texts.empty()) all.emplace(name, source.build_requires.texts);
  };
  add(matrix.package.name, facts.package);
  for (const auto& [name, source] : facts.family) add(name, source);
  return all;
}

BackendQuestions backend_questions(const matrix::Matrix& matrix, const BuildFacts& facts) {
  BackendQuestions questions;
  const auto add = [&questions](const std::string& name, const SourceFacts& source) {
    if (source.build_requires.question) questions.emplace(name, *source.build_requires.question);
  };
  add(matrix.package.name, facts.package);
  for (const auto& [name, source] : facts.family) add(name, source);
  return questions;
}

Result<SourceRequires> source_requires(ports::Files& files, const fs::path& source) {
  const fs::path file = source / "pyproject.toml";
  TRY(const std::optional<std::string> text, text_of(files, file));
  TRY(const std::optional<std::string> setup_py, text_of(files, source / "setup.py"));
  TRY(const std::optional<std::string> setup_cfg, text_of(files, source / "setup.cfg"));
  if (!text && !setup_py) return SourceRequires{};
  TRY(const project::Pyproject project, project::parse_pyproject(text.value_or(""), file.string()));
  SourceRequires found{needed_by(project)};
  if (project::more_requires(project, setup_py.value_or(""), setup_cfg.value_or("")) ==
      project::MoreRequires::ask) {
    TRY(std::string inputs, digest_inputs(files, source, project.build_system));
    found.question = BackendQuestion{project.build_system, std::move(inputs)};
  }
  return found;
}

}  // namespace pinwheel::prepare
