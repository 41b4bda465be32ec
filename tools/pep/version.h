#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace pinwheel::pep {

enum class PreKind { alpha, beta, candidate };

/// "a1", "b2", "rc3".
struct PreRelease {
  PreKind kind = PreKind::alpha;
  uint64_t number = 0;

  bool operator==(const PreRelease&) const = default;
};

/// A segment of a local version: a number, or lower-case text.
using LocalSegment = std::variant<std::string, uint64_t>;

/// A version as PEP 440 (now "Version specifiers" of the packaging specifications) defines it.
/// Equality is the standard's: 1.0 and 1.0.0 are equal though they are written differently.
struct Version {
  uint64_t epoch = 0;
  std::vector<uint64_t> release;  ///< at least one number
  std::optional<PreRelease> pre = std::nullopt;
  std::optional<uint64_t> post = std::nullopt;
  std::optional<uint64_t> dev = std::nullopt;
  std::vector<LocalSegment> local = {};
};

/// Parses any spelling that PEP 440 accepts ("v1.0-ALPHA.1", "1.0-1", " 1.0+ubuntu_1 "). `config`
/// when the text is not a version, or a number overflows 64 bits.
Result<Version> parse_version(std::string_view text);

/// The normalized form, with the trailing zeros of the release.
std::string to_string(const Version& version);

/// The order of PEP 440, which is total; weak because 1.0 and 1.0.0 compare equal.
std::weak_ordering operator<=>(const Version& left, const Version& right);
bool operator==(const Version& left, const Version& right);

/// The version without its local segment.
Version public_part(const Version& version);
/// Epoch and release only.
Version base_part(const Version& version);
/// Whether it is a pre-release or a development release.
bool is_prerelease(const Version& version);

}  // namespace pinwheel::pep
