#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::pep {

/// One compatibility tag (PEP 425), "cp312-cp312-manylinux_2_28_x86_64"; in lower case.
struct Tag {
  std::string python;
  std::string abi;
  std::string platform;

  auto operator<=>(const Tag&) const = default;
};

/// A compressed set: every combination of its parts. "py2.py3-none-any" is two tags.
struct TagSet {
  std::vector<std::string> python;
  std::vector<std::string> abi;
  std::vector<std::string> platform;

  bool operator==(const TagSet&) const = default;
};

/// Reads "py2.py3-none-any"; `config` when it has not three parts or a part is empty or odd.
Result<TagSet> parse_tags(std::string_view text);
/// As file names hold it, parts in the order they have; `parse_tags` reads it back.
std::string to_string(const TagSet& tags);
std::string to_string(const Tag& tag);
/// The single tags, as WHEEL lists them: python outermost, platform innermost.
std::vector<Tag> expand(const TagSet& tags);

enum class Libc { glibc, musl };

/// What a Linux platform tag promises: it runs where the C library is at least this new (PEP 600,
/// PEP 656).
struct LinuxPolicy {
  Libc libc = Libc::glibc;
  int major = 0;
  int minor = 0;
  std::string arch;  ///< "x86_64"

  bool operator==(const LinuxPolicy&) const = default;
};

/// Reads "manylinux_2_28_x86_64", "musllinux_1_2_aarch64" and the old names "manylinux1_x86_64",
/// "manylinux2010_x86_64", "manylinux2014_aarch64"; nullopt for every other platform.
std::optional<LinuxPolicy> parse_linux_policy(std::string_view platform);
/// "manylinux_2_28_x86_64".
std::string to_string(const LinuxPolicy& policy);

}  // namespace pinwheel::pep
