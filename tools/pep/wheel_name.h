#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "pep/tag.h"
#include "pep/version.h"

namespace pinwheel::pep {

/// The optional build tag of a wheel: "1", "2local". Ordered by number, then by the rest.
struct BuildTag {
  uint64_t number = 0;
  std::string rest = {};

  auto operator<=>(const BuildTag&) const = default;
};

/// Reads a build number: 1 to 15 digits, the first of which is not 0. PEP 427 only requires that a
/// build tag begins with a digit; every program can read such a number.
std::optional<uint64_t> parse_build_number(std::string_view text);

/// A parsed wheel file name (PEP 427, "binary distribution format"; PEP 825, a draft).
struct WheelName {
  std::string distribution;  ///< escaped: "pinwheel_kernels"; compare by `normalize_name`
  Version version;
  std::optional<BuildTag> build = std::nullopt;
  TagSet tags;
  /// The label of a wheel variant (PEP 825, a draft), "cu130"; empty for other wheels. Installers
  /// without support for variants ignore a file with one.
  std::string variant = {};
};

/// Parses "pinwheel_kernels-1.2.0+cu130-1-cp310-abi3-manylinux_2_28_x86_64.whl", also with the
/// label of a variant as its last part. `config` when a part is missing or malformed; an unescaped
/// but unambiguous name is accepted.
Result<WheelName> parse_wheel_name(std::string_view filename);
/// The file name, with the name escaped and the version normalized.
std::string to_string(const WheelName& name);

/// An sdist's file name (PEP 625).
struct SdistName {
  std::string distribution;
  Version version;
};

/// Parses "pinwheel_kernels-1.2.0.tar.gz", and `.zip`, which older tools wrote. `config` otherwise.
Result<SdistName> parse_sdist_name(std::string_view filename);
/// "pinwheel_kernels-1.2.0.tar.gz".
std::string to_string(const SdistName& name);

}  // namespace pinwheel::pep
