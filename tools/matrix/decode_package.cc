#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
#include "matrix/family.h"
#include "pep/name.h"
#include "pep/tag_pattern.h"

namespace pinwheel::matrix {
namespace {

Result<VersionSettings> decode_version(const Node& node) {
  static const std::map<std::string, VersionFrom> kFrom = {{"git-tag", VersionFrom::git_tag},
                                                           {"calver", VersionFrom::calver},
                                                           {"file", VersionFrom::file},
                                                           {"project", VersionFrom::project}};
  static const std::map<std::string, VersionBump> kBump = {
      {"major", VersionBump::major}, {"minor", VersionBump::minor}, {"patch", VersionBump::patch}};
  VersionSettings version;
  version.from = kFrom.at(text_or(node, "from", "git-tag"));
  version.bump = kBump.at(text_or(node, "bump", "minor"));
  const bool from_tags = version.from == VersionFrom::git_tag;
  version.match = text_or(node, "match", from_tags ? version.match : "");
  version.file = text_or(node, "file", "");
  version.recut = text_or(node, "recut", "false") == "true";
  const Node* const file = node.find("file");
  if (version.from == VersionFrom::file && file == nullptr) {
    return fail(config_error("`from: file` needs `file`", node.at,
                             "name the file that contains the version, e.g. `file: version.txt`"));
  }
  if (version.from != VersionFrom::file && file != nullptr) {
    return fail(config_error("`file` is read only with `from: file`", file->at));
  }
  const Node* const bump = node.find("bump");
  if (bump != nullptr && !from_tags) {
    return fail(config_error("`bump` is read only with `from: git-tag`", bump->at));
  }
  const Node* const match = node.find("match");
  if (match == nullptr) return version;
  const Result<pep::TagPattern> pattern = pep::parse_tag_pattern(version.match);
  if (!pattern) {
    return fail(config_error(pattern.error().message, match->at, pattern.error().hint));
  }
  return version;
}

/// The keys that every package of a matrix may have.
Package decode_common(const Node& node) {
  Package package;
  package.at = node.at;
  package.name = text_or(node, "name", "");
  package.source = text_or(node, "source", "");
  if (const Node* const source = node.find("source")) package.source_at = source->at;
  package.sdist = text_or(node, "sdist", "false") == "true";
  if (const Node* const ignore = node.find("ignore")) package.ignored = strings_of(*ignore);
  if (const Node* const added = node.find("requires")) {
    package.requires_torch_auto = added->find("torch") != nullptr;
    if (const Node* const siblings = added->find("siblings")) {
      package.siblings = strings_of(*siblings);
    }
  }
  return package;
}

/// Checks that each name of `requires.siblings` is another package of the family.
Done check_siblings(const Node& node, const Matrix& matrix) {
  const Node* const added = node.find("requires");
  const Node* const siblings = added == nullptr ? nullptr : added->find("siblings");
  if (siblings == nullptr) return {};
  const std::string own = text_or(node, "name", "");
  std::vector<std::string> others;
  for (const Package* const package : packages_of(matrix)) {
    if (package->name != own) others.push_back(package->name);
  }
  std::set<std::string> seen;
  for (const Node& name : siblings->items) {
    if (std::ranges::find(others, name.scalar) == others.end()) {
      return fail(config_error(
          fmt::format("{} is not another package of the family", quoted(name.scalar)), name.at,
          others.empty() ? "list the other packages under `family`"
                         : suggest(name.scalar, others)));
    }
    if (!seen.insert(name.scalar).second) {
      return fail(config_error(fmt::format("{} is listed twice", quoted(name.scalar)), name.at));
    }
  }
  return {};
}

/// Checks that no package requires itself through others: no upload order would work.
Done check_cycles(const Matrix& matrix) {
  for (const Package* const package : packages_of(matrix)) {
    const std::vector<std::string> required = required_packages(matrix, package->name);
    if (std::ranges::find(required, package->name) == required.end()) continue;
    std::vector<std::string> through;
    for (const std::string& sibling : package->siblings) {
      const std::vector<std::string> further = required_packages(matrix, sibling);
      if (std::ranges::find(further, package->name) != further.end()) through.push_back(sibling);
    }
    return fail(config_error(
        fmt::format("{} requires itself through {}", quoted(package->name), quoted_list(through)),
        package->at, "remove one of the `requires.siblings`, or merge the packages"));
  }
  return {};
}

Done decode_family(const Node& root, Matrix& matrix) {
  const Node* const family = root.find("family");
  if (family == nullptr) return check_siblings(*root.find("package"), matrix);
  if (!matrix.package.requirement.empty()) {
    return fail(config_error("a package from an index has no family", family->at,
                             "build each package from a matrix of its own"));
  }
  std::set<std::string> names = {pep::normalize_name(matrix.package.name)};
  for (const Node& node : family->items) {
    Package package = decode_common(node);
    if (!names.insert(pep::normalize_name(package.name)).second) {
      return fail(config_error(
          fmt::format("two packages of the matrix are called {}", quoted(package.name)),
          node.find("name")->at));
    }
    matrix.family.push_back({std::move(package), {}});
  }
  TRY_DONE(check_siblings(*root.find("package"), matrix));
  for (const Node& node : family->items) TRY_DONE(check_siblings(node, matrix));
  return check_cycles(matrix);
}

}  // namespace

Done decode_package(const Node& root, Matrix& matrix) {
  const Node& node = *root.find("package");
  Package& package = matrix.package;
  package = decode_common(node);
  package.requirement = text_or(node, "requirement", "");
  if (const Node* const version = node.find("version")) {
    TRY(package.version, decode_version(*version));
  }
  TRY_DONE(decode_family(root, matrix));
  if (package.requirement.empty()) return {};
  for (const char* key : {"version", "sdist", "ignore"}) {
    const Node* const given = node.find(key);
    if (given == nullptr || (given->scalar == "false")) continue;
    return fail(
        config_error(fmt::format("{} cannot be set for a package from an index", quoted(key)),
                     given->at, "the sdist on the index determines it"));
  }
  return {};
}

}  // namespace pinwheel::matrix
