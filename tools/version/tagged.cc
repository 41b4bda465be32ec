#include "version/tagged.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/tag_pattern.h"
#include "pep/wheel_name.h"

namespace pinwheel::version {
namespace {

constexpr std::string_view kRecutMark = "-r";

void update_highest(std::optional<Tagged>& highest, const Tagged& tagged) {
  const bool first_cut =
      highest && highest->version == tagged.version && highest->build > tagged.build;
  if (!highest || highest->version < tagged.version || first_cut) highest = tagged;
}

void update_last_cut(std::optional<Tagged>& highest, const Tagged& tagged) {
  const bool later = highest && highest->version == tagged.version && highest->build < tagged.build;
  if (!highest || highest->version < tagged.version || later) highest = tagged;
}

/// A tag's name without `-rN`, and N.
struct CutName {
  std::string_view name;
  uint64_t build = 0;
};

/// nullopt if digits after `-r` are no build number, as in "v1.2.0-r0".
std::optional<CutName> cut_name(std::string_view name, Recuts recuts) {
  const size_t at = name.rfind(kRecutMark);
  if (recuts == Recuts::ignore || at == std::string_view::npos) return CutName{name};
  const std::string_view number = name.substr(at + kRecutMark.size());
  if (number.empty() || !std::ranges::all_of(number, is_digit)) return CutName{name};
  const std::optional<uint64_t> build = pep::parse_build_number(number);
  if (!build) return std::nullopt;
  return CutName{name.substr(0, at), *build};
}

/// The version in a tag that matches; nullopt for another text, such as a word.
std::optional<Tagged> tagged_version(const pep::TagPattern& pattern, const std::string& tag,
                                     Recuts recuts) {
  const std::optional<CutName> cut = cut_name(tag, recuts);
  if (!cut) return std::nullopt;
  const std::optional<std::string_view> part = pattern.version_in(cut->name);
  if (!part) return std::nullopt;
  const Result<pep::Version> version = pep::parse_version(*part);
  if (!version) return std::nullopt;
  return Tagged{tag, pep::public_part(*version), 0, cut->build};
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
                                             const std::string& package, Recuts recuts) {
  if (!match.empty()) {
    return read_tags(facts, {.match = match, .recuts = recuts}).map([](const TaggedVersions& tags) {
      return tags.on_head;
    });
  }
  std::optional<Tagged> named;
  std::optional<Tagged> unnamed;
  for (const ports::GitTag& tag : facts.tags) {
    if (tag.distance != 0) continue;
    const std::optional<CutName> cut = cut_name(tag.name, recuts);
    if (!cut) continue;
    const std::optional<WordAndVersion> parts = word_and_version(cut->name);
    if (!parts) continue;
    const Tagged tagged{tag.name, parts->version, 0, cut->build};
    if (names_package(parts->word, package)) {
      update_last_cut(named, tagged);
    } else if (is_unnamed(parts->word)) {
      update_last_cut(unnamed, tagged);
    }
  }
  return named ? named : unnamed;
}

Result<TaggedVersions> read_tags(const ports::GitFacts& facts, const Rules& rules) {
  TRY(const pep::TagPattern pattern, pep::parse_tag_pattern(rules.match));
  TaggedVersions result;
  for (const ports::GitTag& tag : facts.tags) {
    std::optional<Tagged> tagged = tagged_version(pattern, tag.name, rules.recuts);
    if (!tagged) {
      if (pattern.version_in(tag.name)) result.ignored.push_back(tag.name);
      continue;
    }
    tagged->distance = tag.distance;
    update_highest(result.reachable, *tagged);
    if (tag.distance == 0) update_last_cut(result.on_head, *tagged);
  }
  for (const std::string& name : facts.all_tags) {
    const std::optional<Tagged> tagged = tagged_version(pattern, name, rules.recuts);
    if (tagged) update_highest(result.anywhere, *tagged);
  }
  return result;
}

Result<std::optional<ReleaseTag>> release_tag(const ports::GitFacts& facts,
                                              const std::string& match, const std::string& package,
                                              const std::string& version, const ReleaseCut& cut) {
  const Result<pep::Version> wanted = pep::parse_version(version);
  if (!wanted || wanted->dev || !wanted->local.empty()) return std::nullopt;
  TRY(const std::optional<Tagged> tag, tag_of_package(facts, match, package, cut.recuts));
  const bool untagged = cut.build > 0 && cut.recuts == Recuts::ignore;
  const bool same_cut = tag && (untagged || tag->build == cut.build);
  if (same_cut && tag->version == *wanted) return ReleaseTag{tag->name, true};
  if (untagged) return std::nullopt;
  TRY(const pep::TagPattern pattern, pep::parse_tag_pattern(match.empty() ? "v*" : match));
  std::string name = pattern.with(version);
  if (cut.build > 0) name += std::string(kRecutMark) + std::to_string(cut.build);
  const bool on_head = std::ranges::any_of(facts.tags, [&name](const ports::GitTag& each) {
    return each.distance == 0 && each.name == name;
  });
  if (on_head) return ReleaseTag{std::move(name), true};
  const bool elsewhere = std::ranges::find(facts.all_tags, name) != facts.all_tags.end();
  return ReleaseTag{std::move(name), false, elsewhere};
}

}  // namespace pinwheel::version
