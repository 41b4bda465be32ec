#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "matrix/config_error.h"
#include "matrix/decode.h"
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

}  // namespace

Done decode_package(const Node& root, Matrix& matrix) {
  const Node& node = *root.find("package");
  Package& package = matrix.package;
  package.at = node.at;
  package.name = text_or(node, "name", "");
  package.source = text_or(node, "source", "");
  if (const Node* const source = node.find("source")) package.source_at = source->at;
  package.requirement = text_or(node, "requirement", "");
  package.sdist = text_or(node, "sdist", "false") == "true";
  if (const Node* const ignore = node.find("ignore")) {
    for (const Node& item : ignore->items) package.ignored.push_back(item.scalar);
  }
  package.requires_torch_auto = node.find("requires") != nullptr;
  if (const Node* const version = node.find("version")) {
    TRY(package.version, decode_version(*version));
  }
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
