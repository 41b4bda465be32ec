#include "project/scikit_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.h"
#include "pep/requirement.h"
#include "pep/specifier.h"
#include "project/cmake_lists.h"
#include "project/toml_document.h"

namespace pinwheel::project {
namespace {

/// A table with more outcomes than this was not written for people.
constexpr size_t kMostOutcomes = 64;

std::optional<std::string> setting_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto number = node.value_exact<int64_t>()) return std::to_string(*number);
  return std::nullopt;
}

/// The scalars below a table by their dotted keys.
void flatten(const toml::table& table, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& found) {
  for (const auto& [key, value] : table) {
    const std::string path = prefix + std::string(key.str());
    if (const toml::table* const below = value.as_table()) {
      flatten(*below, path + ".", found);
    } else if (const auto text = setting_text(value)) {
      found.emplace_back(path, *text);
    }
  }
}

bool is_on(const std::string& text) {
  const std::string word = to_lower(text);
  return !word.empty() && word != "0" && word != "n" && word != "no" && word != "off" &&
         word != "false" && word != "f";
}

void apply(const std::string& key, const std::string& value, ScikitBuildSettings& settings) {
  constexpr std::string_view kDefine = "cmake.define.";
  if (key == "wheel.cmake") settings.cmake = is_on(value);
  if (key == "wheel.platlib") settings.platlib = is_on(value);
  if (key == "wheel.py-api") settings.py_api = value;
  if (key == "cmake.source-dir") settings.source_dir = value;
  if (key.starts_with(kDefine)) settings.defines[key.substr(kDefine.size())] = value;
}

std::vector<ScikitBuildCondition> conditions_in(const toml::table& table) {
  std::vector<ScikitBuildCondition> conditions;
  std::vector<std::pair<std::string, std::string>> texts;
  flatten(table, "", texts);
  for (auto& [key, text] : texts) {
    if (key.starts_with("any.") || key.starts_with("not.")) continue;
    const bool flag = table.at_path(key).is_boolean();
    conditions.push_back({std::move(key), std::move(text), flag});
  }
  return conditions;
}

std::vector<ScikitBuildCondition> conditions_at(const toml::table& table, std::string_view path) {
  const toml::table* const found = toml_table(table, path);
  return found == nullptr ? std::vector<ScikitBuildCondition>{} : conditions_in(*found);
}

ScikitBuildOverride read_override(const toml::table& table) {
  ScikitBuildOverride result{conditions_at(table, "if"),
                             conditions_at(table, "if.any"),
                             conditions_at(table, "if.not"),
                             {},
                             false};
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (name == "if" || name == "inherit") continue;
    if (const toml::table* const below = value.as_table()) {
      flatten(*below, name + ".", result.settings);
    }
  }
  result.replaces_defines = toml_table(table, "cmake.define") != nullptr &&
                            toml_text(table, "inherit.cmake.define").value_or("none") == "none";
  return result;
}

/// Whether a pattern of plain characters, anchors, `.*` and alternatives is found in the text, as
/// Python's `re.search` finds it. Unknown for any other pattern.
Truth found_in(const std::string& pattern, const std::string& text) {
  if (pattern.find_first_of("\\()[]{}?+") != std::string::npos) return Truth::unknown;
  for (std::string each : split(pattern, '|')) {
    const bool from_start = each.starts_with('^');
    if (from_start) each.erase(0, 1);
    const bool to_end = each.ends_with('$');
    if (to_end) each.pop_back();
    const bool repeats = replace_all(each, ".*", "").find('*') != std::string::npos;
    if (repeats) return Truth::unknown;
    const std::string glob = replace_all(replace_all(each, ".*", "*"), ".", "?");
    if (glob_match((from_start ? "" : "*") + glob + (to_end ? "" : "*"), text)) return Truth::yes;
  }
  return Truth::no;
}

Truth version_in(const std::string& version, const std::string& specifiers) {
  const Result<pep::SpecifierSet> set = pep::parse_specifiers(specifiers);
  const Result<pep::Version> parsed = pep::parse_version(version);
  if (!set || !parsed) return Truth::unknown;
  return truth_of(pep::satisfies(*parsed, *set));
}

/// Whether the specifiers contain every version from `oldest` on, or none; no version is as new as
/// "9999".
Truth from_version_on(const std::string& oldest, const std::string& specifiers) {
  const Result<pep::SpecifierSet> set = pep::parse_specifiers(specifiers);
  if (!set || set->size() != 1) return Truth::unknown;
  return either(version_in(oldest, specifiers), version_in("9999", specifiers));
}

/// The oldest version that a requirement admits; "0" if it says none.
std::string oldest_admitted(const std::string& text) {
  const Result<pep::Requirement> requirement = pep::parse_requirement(text);
  if (!requirement) return "0";
  for (const pep::Specifier& clause : requirement->specifiers) {
    const bool from = clause.comparison == pep::Comparison::at_least ||
                      clause.comparison == pep::Comparison::equal ||
                      clause.comparison == pep::Comparison::compatible;
    if (from) return pep::to_string(clause.version);
  }
  return "0";
}

bool is_threaded_site(const ScikitBuildSite& site) {
  return site.python.ends_with('t');
}

std::string release_of(const ScikitBuildSite& site) {
  return is_threaded_site(site) ? site.python.substr(0, site.python.size() - 1) : site.python;
}

/// Variables that every build has, and those that configure compilers: the matrix does not define
/// their values.
bool is_set_elsewhere(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames = {
      "PATH", "HOME",      "TMPDIR",  "LANG",        "CC",
      "CXX",  "CUDA_HOME", "CUDACXX", "VIRTUAL_ENV", "SOURCE_DATE_EPOCH"};
  return std::ranges::find(kNames, name) != kNames.end() || name.starts_with("PINWHEEL_") ||
         name.starts_with("SETUPTOOLS_SCM_") || name.starts_with("PIP_") ||
         name.starts_with("CMAKE_BUILD_") || name.starts_with("CONDA_") || name.starts_with("LC_");
}

Truth variable_holds(const ScikitBuildCondition& condition, const ScikitBuildSite& site) {
  const std::string name = condition.key.substr(4);
  const auto found = site.variables.find(name);
  if (found == site.variables.end() && is_set_elsewhere(name)) return Truth::unknown;
  const std::string value = found == site.variables.end() ? "" : found->second;
  if (condition.flag) return truth_of(is_on(value) == (condition.value == "true"));
  return found == site.variables.end() ? Truth::no : found_in(condition.value, value);
}

Truth holds(const ScikitBuildCondition& condition, const ScikitBuildSite& site) {
  const std::string& key = condition.key;
  const std::string& value = condition.value;
  const std::string release = release_of(site);
  if (key.starts_with("env.")) return variable_holds(condition, site);
  if (key == "python-version") return version_in(release, value);
  if (key == "implementation-version") {
    return either(version_in(release + ".0", value), version_in(release + ".99", value));
  }
  if (key == "implementation-name") return found_in(value, "cpython");
  if (key == "platform-system") return found_in(value, "linux");
  if (key == "platform-machine") {
    return either(found_in(value, "x86_64"), found_in(value, "aarch64"));
  }
  if (key == "abi-flags") return found_in(value, is_threaded_site(site) ? "t" : "");
  if (key == "state") return found_in(value, "wheel");
  if (key == "from-sdist") return truth_of(site.from_sdist == (value == "true"));
  if (key == "failed") return truth_of(value == "false");
  // The package index has wheels of CMake for Linux, and the environment of a build has one of them
  // on PATH.
  if (key == "cmake-wheel") return Truth::yes;
  if (key == "system-cmake") return from_version_on("3.31", value);
  if (key == "scikit-build-version") {
    return from_version_on(oldest_admitted(site.requirement), value);
  }
  return Truth::unknown;
}

/// Whether an override applies. Conditions that decide it and are unknown here are added to
/// `undecided`.
Truth applies(const ScikitBuildOverride& override, const ScikitBuildSite& site,
              std::set<std::string>& undecided) {
  if (override.all.empty() && override.any.empty() && override.none.empty()) return Truth::no;
  std::set<std::string> unknown;
  const auto judge = [&](const ScikitBuildCondition& condition) {
    const Truth truth = holds(condition, site);
    if (truth == Truth::unknown) unknown.insert(condition.key);
    return truth;
  };
  for (const ScikitBuildCondition& each : override.all) {
    if (judge(each) == Truth::no) return Truth::no;
  }
  for (const ScikitBuildCondition& each : override.none) {
    if (judge(each) == Truth::yes) return Truth::no;
  }
  std::vector<Truth> any;
  std::set<std::string> required = unknown;
  for (const ScikitBuildCondition& each : override.any) any.push_back(judge(each));
  if (std::ranges::find(any, Truth::yes) != any.end()) unknown = std::move(required);
  const bool none = std::ranges::count(any, Truth::no) == static_cast<ptrdiff_t>(any.size());
  if (!any.empty() && none) return Truth::no;
  undecided.insert(unknown.begin(), unknown.end());
  return unknown.empty() ? Truth::yes : Truth::unknown;
}

ScikitBuildSettings with_override(ScikitBuildSettings settings,
                                  const ScikitBuildOverride& override) {
  if (override.replaces_defines) settings.defines.clear();
  for (const auto& [key, value] : override.settings) apply(key, value, settings);
  return settings;
}

/// The settings of the frontend and of scikit-build-core's variables, which override the file.
ScikitBuildSettings with_frontend(ScikitBuildSettings settings, const ScikitBuildSite& site) {
  constexpr std::string_view kOwn = "skbuild.";
  for (const auto& [key, value] : site.config_settings) {
    apply(key.starts_with(kOwn) ? key.substr(kOwn.size()) : key, value, settings);
  }
  for (const std::string key : {"wheel.cmake", "wheel.platlib", "wheel.py-api"}) {
    std::string name = "SKBUILD_" + replace_all(replace_all(key, ".", "_"), "-", "_");
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    const auto found = site.variables.find(name);
    if (found != site.variables.end()) apply(key, found->second, settings);
  }
  return settings;
}

}  // namespace

ScikitBuild read_scikit_build(const toml::table& document) {
  ScikitBuild result;
  const toml::table* const table = toml_table(document, "tool.scikit-build");
  if (table == nullptr) return result;
  std::vector<std::pair<std::string, std::string>> settings;
  flatten(*table, "", settings);
  for (const auto& [key, value] : settings) apply(key, value, result.base);
  const toml::array* const overrides = table->at_path("overrides").as_array();
  if (overrides == nullptr) return result;
  for (const toml::node& each : *overrides) {
    if (const toml::table* const one = each.as_table()) {
      result.overrides.push_back(read_override(*one));
    }
  }
  return result;
}

ScikitBuildOutcomes scikit_build_outcomes(const ScikitBuild& table, const ScikitBuildSite& site) {
  std::set<ScikitBuildSettings> possible = {table.base};
  std::set<std::string> undecided;
  for (const ScikitBuildOverride& override : table.overrides) {
    std::set<std::string> unknown;
    const Truth truth = applies(override, site, unknown);
    if (truth == Truth::no || possible.size() > kMostOutcomes) continue;
    std::set<ScikitBuildSettings> changed;
    for (const ScikitBuildSettings& settings : possible) {
      changed.insert(with_override(settings, override));
    }
    if (truth == Truth::unknown) {
      if (changed != possible) undecided.merge(unknown);
      changed.insert(possible.begin(), possible.end());
    }
    possible = std::move(changed);
  }
  std::set<ScikitBuildSettings> final_ones;
  for (const ScikitBuildSettings& settings : possible) {
    final_ones.insert(with_frontend(settings, site));
  }
  return {{final_ones.begin(), final_ones.end()}, {undecided.begin(), undecided.end()}};
}

}  // namespace pinwheel::project
