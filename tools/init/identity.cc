#include "init/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "pep/name.h"
#include "pep/version.h"

namespace pinwheel::init {
namespace {

/// A value read from a file.
struct FileValue {
  std::string value;
  std::string file;
};

FileValue first_set(std::initializer_list<FileValue> places) {
  for (const FileValue& place : places) {
    if (!place.value.empty()) return place;
  }
  return {};
}

std::string of_cargo(const ProjectFacts& facts, std::string project::CargoManifest::*member) {
  if (backend(facts) != project::Backend::maturin || facts.cargo.empty()) return {};
  return facts.cargo.front().*member;
}

FileValue name_of_project(const ProjectFacts& facts) {
  const std::string requirement = facts.requirement.substr(0, facts.requirement.find("=="));
  return first_set({{requirement, "the requirement"},
                    {facts.pyproject ? facts.pyproject->name : "", "pyproject.toml"},
                    {facts.tools.poetry_name, "pyproject.toml"},
                    {facts.setup_cfg ? facts.setup_cfg->name : "", "setup.cfg"},
                    {facts.setup_py ? facts.setup_py->name : "", "setup.py"},
                    {facts.package_info.name, "PKG-INFO"},
                    {of_cargo(facts, &project::CargoManifest::name), "Cargo.toml"}});
}

/// "release-*" for tags such as "release-1.0": the most frequent prefix of the tags that end in a
/// version. Empty without such a tag.
std::string match_of(const std::vector<std::string>& tags) {
  std::map<std::string, int> prefixes;
  for (const std::string& tag : tags) {
    const size_t digit = tag.find_first_of("0123456789");
    if (digit == std::string::npos || !pep::parse_version(tag.substr(digit))) continue;
    ++prefixes[tag.substr(0, digit)];
  }
  const auto most =
      std::ranges::max_element(prefixes, {}, [](const auto& prefix) { return prefix.second; });
  return most == prefixes.end() ? std::string() : most->first + "*";
}

void choose_tags(const ProjectFacts& facts, Identity& identity) {
  if (!facts.tags) {
    identity.left_out.push_back(
        {"the version",
         "no file says it as a literal, and this is no git repository whose tags could: run `git "
         "init` and tag the release, or write `version: {from: file, file: NAME}`"});
    return;
  }
  const std::string match = match_of(*facts.tags);
  if (match.empty() || match == "v*") {
    identity.lines.push_back({"package", {}, "the version comes from the tags `v*`, the default"});
  } else {
    identity.lines.push_back(
        {"package.version",
         std::vector<std::pair<std::string, std::string>>{{"from", "git-tag"}, {"match", match}},
         "no tag begins with `v`"});
  }
  if (uses_tags(facts)) return;
  identity.left_out.push_back(
      {"the version",
       "the project computes it, and pinwheel takes it from git tags: a build fails where they "
       "differ; a literal in pyproject.toml would be read as `version: {from: project}`"});
}

void choose_version(const ProjectFacts& facts, Identity& identity) {
  const std::optional<StaticVersion> version = static_version(facts);
  if (!version) return choose_tags(facts, identity);
  identity.lines.push_back({"package.version",
                            std::vector<std::pair<std::string, std::string>>{{"from", "project"}},
                            fmt::format("{} says {}", version->file, version->version)});
}

}  // namespace

std::optional<StaticVersion> static_version(const ProjectFacts& facts) {
  const bool meson = backend(facts) == project::Backend::meson_python && facts.meson;
  const FileValue literal =
      first_set({{facts.pyproject ? facts.pyproject->version.value_or("") : "", "pyproject.toml"},
                 {facts.written_version ? facts.written_version->version : "",
                  facts.written_version ? facts.written_version->file : ""},
                 {facts.tools.poetry_version, "pyproject.toml"},
                 {facts.setup_cfg ? facts.setup_cfg->version : "", "setup.cfg"},
                 {facts.setup_py ? facts.setup_py->version : "", "setup.py"},
                 {of_cargo(facts, &project::CargoManifest::version), "Cargo.toml"},
                 {meson ? facts.meson->version : "", "meson.build"},
                 {facts.package_info.version, "PKG-INFO"}});
  if (literal.value.empty() || !pep::parse_version(literal.value)) return std::nullopt;
  return StaticVersion{literal.value, literal.file};
}

bool uses_tags(const ProjectFacts& facts) {
  constexpr std::array kReaders = {"setuptools-scm",
                                   "hatch-vcs",
                                   "versioningit",
                                   "pdm-scm",
                                   "dunamai",
                                   "vcs-versioning",
                                   "versioneer",
                                   "setuptools-git-versioning",
                                   "poetry-dynamic-versioning"};
  return std::ranges::any_of(kReaders, [&](const char* name) {
    return !requirements_on(build_requires(facts), name).empty();
  });
}

Identity choose_identity(const ProjectFacts& facts) {
  FileValue name = name_of_project(facts);
  const bool is_valid = pep::is_valid_name(name.value);
  if (!is_valid) name = {facts.directory, "the directory's name: no file says the project's"};
  Identity identity{name.value, {{"package.name", name.value, name.file}}, {}};
  if (!facts.requirement.empty()) {
    identity.lines.push_back({"package.requirement", facts.requirement, "the sdist on the index"});
    return identity;
  }
  identity.lines.push_back({"package.source", facts.source, "from this file to the project"});
  choose_version(facts, identity);
  return identity;
}

}  // namespace pinwheel::init
