#include "version/tagged.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace pinwheel::version {
namespace {

/// The part of `name` that the pattern's `*` matches; nullopt when the name does not match.
std::optional<std::string_view> matched_part(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (name.size() < before.size() + after.size()) return std::nullopt;
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  return name.substr(before.size(), name.size() - before.size() - after.size());
}

void keep_higher(std::optional<Tagged>& kept, const Tagged& tagged) {
  if (!kept || kept->version < tagged.version) kept = tagged;
}

}  // namespace

Result<TaggedVersions> read_tags(const ports::GitFacts& facts, const Rules& rules) {
  if (std::count(rules.match.begin(), rules.match.end(), '*') != 1) {
    return fail(ErrorKind::config,
                "tag pattern " + quoted(rules.match) + " must have exactly one `*`",
                "the `*` matches the version, e.g. `v*`");
  }
  TaggedVersions result;
  for (const ports::GitTag& tag : facts.tags) {
    const std::optional<std::string_view> part = matched_part(rules.match, tag.name);
    if (!part) continue;
    Result<pep::Version> version = pep::parse_version(*part);
    if (!version) {
      result.ignored.push_back(tag.name);
      continue;
    }
    const Tagged tagged{tag.name, pep::public_part(*version), tag.distance};
    keep_higher(result.reachable, tagged);
    if (tag.distance == 0) keep_higher(result.on_head, tagged);
  }
  for (const std::string& name : facts.all_tags) {
    const std::optional<std::string_view> part = matched_part(rules.match, name);
    if (!part) continue;
    const Result<pep::Version> version = pep::parse_version(*part);
    if (version) keep_higher(result.anywhere, Tagged{name, pep::public_part(*version), 0});
  }
  return result;
}

}  // namespace pinwheel::version
