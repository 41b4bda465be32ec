#include "pep/specifier.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"

namespace pinwheel::pep {
namespace {

struct Operator {
  std::string_view text;
  Comparison comparison;
};
/// Longer operators first: `===` begins with `==`, `<=` with `<`.
constexpr std::array<Operator, 8> kComparisons = {{{"===", Comparison::arbitrary_equal},
                                                   {"~=", Comparison::compatible},
                                                   {"==", Comparison::equal},
                                                   {"!=", Comparison::not_equal},
                                                   {"<=", Comparison::at_most},
                                                   {">=", Comparison::at_least},
                                                   {"<", Comparison::less},
                                                   {">", Comparison::greater}}};

bool may_have_local(Comparison comparison) {
  return comparison == Comparison::equal || comparison == Comparison::not_equal ||
         comparison == Comparison::arbitrary_equal;
}

std::optional<Specifier> parse_one(std::string_view text) {
  const auto* const found =
      std::find_if(kComparisons.begin(), kComparisons.end(),
                   [text](const Operator& each) { return text.starts_with(each.text); });
  if (found == kComparisons.end()) return std::nullopt;
  Specifier specifier{found->comparison, {}, false};
  std::string_view rest = trim(text.substr(found->text.size()));
  constexpr std::string_view kAny = ".*";
  if (rest.ends_with(kAny)) {
    specifier.wildcard = true;
    rest.remove_suffix(kAny.size());
  }
  Result<Version> version = parse_version(rest);
  if (!version) return std::nullopt;
  specifier.version = *std::move(version);
  const Version& bare = specifier.version;
  if (!bare.local.empty() && !may_have_local(specifier.comparison)) return std::nullopt;
  const bool plain = !bare.pre && !bare.post && !bare.dev && bare.local.empty();
  const bool takes_wildcard =
      specifier.comparison == Comparison::equal || specifier.comparison == Comparison::not_equal;
  if (specifier.wildcard && !(plain && takes_wildcard)) return std::nullopt;
  if (specifier.comparison == Comparison::compatible && bare.release.size() < 2) {
    return std::nullopt;
  }
  return specifier;
}

/// Whether the release of `version` begins with that of `prefix`: prefix matching, as in `==1.2.*`.
bool has_prefix(const Version& version, const Version& prefix, size_t length) {
  if (version.epoch != prefix.epoch) return false;
  for (size_t i = 0; i < length; ++i) {
    const uint64_t number = i < version.release.size() ? version.release[i] : 0;
    if (number != prefix.release[i]) return false;
  }
  return true;
}

bool same_base(const Version& left, const Version& right) {
  return base_part(left) == base_part(right);
}

/// A clause without a local part ignores the candidate's.
bool equals(const Version& version, const Specifier& specifier) {
  if (specifier.wildcard) {
    return has_prefix(version, specifier.version, specifier.version.release.size());
  }
  return (specifier.version.local.empty() ? public_part(version) : version) == specifier.version;
}

/// `<1.3` excludes pre-releases of 1.3, unless the bound is one.
bool is_less(const Version& version, const Version& bound) {
  if (!(version < bound)) return false;
  return is_prerelease(bound) || !is_prerelease(version) || !same_base(version, bound);
}

/// `>1.3` excludes post-releases of 1.3, unless the bound is one, and local versions of 1.3.
bool is_greater(const Version& version, const Version& bound) {
  if (!(version > bound)) return false;
  Version origin = public_part(version);
  if (origin == bound) return false;
  if (bound.post || !version.post) return true;
  origin.post.reset();
  origin.dev.reset();
  return !(origin == bound);
}

bool holds(const Version& version, const Specifier& specifier) {
  const Version& bound = specifier.version;
  switch (specifier.comparison) {
    case Comparison::compatible:
      return public_part(version) >= bound && has_prefix(version, bound, bound.release.size() - 1);
    case Comparison::equal:
      return equals(version, specifier);
    case Comparison::not_equal:
      return !equals(version, specifier);
    case Comparison::at_most:
      return public_part(version) <= bound;
    case Comparison::at_least:
      return public_part(version) >= bound;
    case Comparison::less:
      return is_less(version, bound);
    case Comparison::greater:
      return is_greater(version, bound);
    case Comparison::arbitrary_equal:
      return to_string(version) == to_string(bound);
  }
  return false;
}

/// Whether a clause names a pre-release, which lets pre-releases in (PEP 440, "Handling of
/// pre-releases"); an exclusion does not.
bool allows_prereleases(const SpecifierSet& specifiers) {
  return std::any_of(specifiers.begin(), specifiers.end(), [](const Specifier& specifier) {
    return specifier.comparison != Comparison::not_equal && is_prerelease(specifier.version);
  });
}

}  // namespace

Result<SpecifierSet> parse_specifiers(std::string_view text) {
  SpecifierSet set;
  for (const std::string& part : split(text, ',')) {
    const std::string_view clause = trim(part);
    if (clause.empty()) continue;
    std::optional<Specifier> specifier = parse_one(clause);
    if (!specifier) {
      return fail(ErrorKind::config, quoted(clause) + " is not a version specifier",
                  "use the syntax of PEP 440, e.g. >=1.2, ==1.2.*, ~=1.2.0");
    }
    set.push_back(*std::move(specifier));
  }
  return set;
}

std::string to_string(const SpecifierSet& specifiers) {
  std::vector<std::string> parts;
  for (const Specifier& specifier : specifiers) {
    const auto* const found = std::find_if(
        kComparisons.begin(), kComparisons.end(),
        [&specifier](const Operator& each) { return each.comparison == specifier.comparison; });
    parts.push_back(std::string(found->text) + to_string(specifier.version) +
                    (specifier.wildcard ? ".*" : ""));
  }
  return join(parts, ",");
}

bool satisfies(const Version& version, const SpecifierSet& specifiers) {
  return std::all_of(specifiers.begin(), specifiers.end(),
                     [&version](const Specifier& specifier) { return holds(version, specifier); });
}

std::vector<Version> candidates(const std::vector<Version>& versions,
                                const SpecifierSet& specifiers) {
  std::vector<Version> all;
  std::copy_if(versions.begin(), versions.end(), std::back_inserter(all),
               [&specifiers](const Version& version) { return satisfies(version, specifiers); });
  if (allows_prereleases(specifiers)) return all;
  std::vector<Version> finals;
  std::copy_if(all.begin(), all.end(), std::back_inserter(finals),
               [](const Version& version) { return !is_prerelease(version); });
  return finals.empty() ? all : finals;
}

}  // namespace pinwheel::pep
