#include "version/tagged.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/tag_pattern.h"

namespace pinwheel::version {
namespace {

void update_highest(std::optional<Tagged>& highest, const Tagged& tagged) {
  if (!highest || highest->version < tagged.version) highest = tagged;
}

/// A tag's name in two parts: "pkg-v1.0" is the word "pkg" and a version.
struct WordAndVersion {
  std::string_view word;
  pep::Version version;
};

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The part before a version without its `v` and separator; nullopt if the following digit is part
/// of the word, as in "cuda12".
std::optional<std::string_view> word_of(std::string_view before) {
  constexpr std::string_view kSeparators = "-_/.@=+ ";
  const bool v = before.ends_with('v') || before.ends_with('V');
  if (v) before.remove_suffix(1);
  if (!before.empty() && is_alnum(before.back())) return std::nullopt;
  const size_t end = before.find_last_not_of(kSeparators);
  return before.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::optional<WordAndVersion> word_and_version(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  for (size_t at = name.find_first_of(kDigits); at != std::string_view::npos;
       at = name.find_first_of(kDigits, at + 1)) {
    const std::optional<std::string_view> word = word_of(name.substr(0, at));
    if (!word) continue;
    const Result<pep::Version> version = pep::parse_version(name.substr(at));
    if (version) return WordAndVersion{*word, pep::public_part(*version)};
  }
  return std::nullopt;
}

bool is_unnamed(std::string_view word) {
  constexpr std::array<std::string_view, 6> kWords = {"",    "release", "releases",
                                                      "rel", "version", "ver"};
  return std::ranges::find(kWords, to_lower(word)) != kWords.end();
}

bool names_package(std::string_view word, const std::string& package) {
  return pep::normalize_name(word.substr(word.rfind('/') + 1)) == pep::normalize_name(package);
}

}  // namespace

Result<std::optional<Tagged>> tag_of_package(const ports::GitFacts& facts, const std::string& match,
                                             const std::string& package) {
  if (!match.empty()) {
    return read_tags(facts, {match}).map([](const TaggedVersions& tags) { return tags.on_head; });
  }
  std::optional<Tagged> named;
  std::optional<Tagged> unnamed;
  for (const ports::GitTag& tag : facts.tags) {
    if (tag.distance != 0) continue;
    const std::optional<WordAndVersion> parts = word_and_version(tag.name);
    if (!parts) continue;
    const Tagged tagged{tag.name, parts->version, 0};
    if (names_package(parts->word, package)) {
      update_highest(named, tagged);
    } else if (is_unnamed(parts->word)) {
      update_highest(unnamed, tagged);
    }
  }
  return named ? named : unnamed;
}

Result<TaggedVersions> read_tags(const ports::GitFacts& facts, const Rules& rules) {
  TRY(const pep::TagPattern pattern, pep::parse_tag_pattern(rules.match));
  TaggedVersions result;
  for (const ports::GitTag& tag : facts.tags) {
    const std::optional<std::string_view> part = pattern.version_in(tag.name);
    if (!part) continue;
    Result<pep::Version> version = pep::parse_version(*part);
    if (!version) {
      result.ignored.push_back(tag.name);
      continue;
    }
    const Tagged tagged{tag.name, pep::public_part(*version), tag.distance};
    update_highest(result.reachable, tagged);
    if (tag.distance == 0) update_highest(result.on_head, tagged);
  }
  for (const std::string& name : facts.all_tags) {
    const std::optional<std::string_view> part = pattern.version_in(name);
    if (!part) continue;
    const Result<pep::Version> version = pep::parse_version(*part);
    if (version) update_highest(result.anywhere, Tagged{name, pep::public_part(*version), 0});
  }
  return result;
}

Result<std::optional<ReleaseTag>> release_tag(const ports::GitFacts& facts,
                                              const std::string& match, const std::string& package,
                                              const std::string& version) {
  const Result<pep::Version> wanted = pep::parse_version(version);
  if (!wanted || wanted->dev || !wanted->local.empty()) return std::nullopt;
  TRY(const std::optional<Tagged> tag, tag_of_package(facts, match, package));
  if (tag && tag->version == *wanted) return ReleaseTag{tag->name, true};
  TRY(const pep::TagPattern pattern, pep::parse_tag_pattern(match.empty() ? "v*" : match));
  std::string name = pattern.with(version);
  const bool elsewhere = std::ranges::find(facts.all_tags, name) != facts.all_tags.end();
  return ReleaseTag{std::move(name), false, elsewhere};
}

}  // namespace pinwheel::version
