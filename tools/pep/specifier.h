#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pep/version.h"

namespace pinwheel::pep {

enum class Comparison {
  compatible,      ///< ~=
  equal,           ///< ==
  not_equal,       ///< !=
  at_most,         ///< <=
  at_least,        ///< >=
  less,            ///< <
  greater,         ///< >
  arbitrary_equal  ///< ===
};

/// One clause of PEP 440, ">=1.2" or "==1.2.*".
struct Specifier {
  Comparison comparison = Comparison::equal;
  Version version;
  bool wildcard = false;  ///< `.*` after the version; for == and != alone
};

/// Clauses that must all hold; an empty set always holds.
using SpecifierSet = std::vector<Specifier>;

/// Parses ">=1.2, !=1.5.*"; empty text is the empty set. `config` when a clause is malformed.
Result<SpecifierSet> parse_specifiers(std::string_view text);
/// Normalized versions, clauses in order, joined by commas.
std::string to_string(const SpecifierSet& specifiers);

/// Whether the version satisfies the clauses; pre-releases are treated like any other version.
bool satisfies(const Version& version, const SpecifierSet& specifiers);

/// The `versions` that an installer would consider, in the given order: pre-releases only when a
/// clause names one, or when nothing else satisfies the clauses.
std::vector<Version> candidates(const std::vector<Version>& versions,
                                const SpecifierSet& specifiers);

}  // namespace pinwheel::pep
