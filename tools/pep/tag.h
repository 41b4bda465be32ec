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

/// A compressed tag set: every combination of its parts. "py2.py3-none-any" is two tags.
struct TagSet {
  std::vector<std::string> python;
  std::vector<std::string> abi;
  std::vector<std::string> platform;

  bool operator==(const TagSet&) const = default;
};

/// Parses "py2.py3-none-any"; `config` unless it has three parts, each nonempty and well-formed.
Result<TagSet> parse_tags(std::string_view text);
/// As in file names, parts in the given order; `parse_tags` reads it back.
std::string to_string(const TagSet& tags);
std::string to_string(const Tag& tag);
/// The individual tags, in the order of the WHEEL file: python outermost, platform innermost.
std::vector<Tag> expand(const TagSet& tags);

enum class Libc { glibc, musl };

/// The minimum C library version that a Linux platform tag requires (PEP 600, PEP 656).
struct LinuxPolicy {
  Libc libc = Libc::glibc;
  int major = 0;
  int minor = 0;
  std::string arch;  ///< "x86_64"

  bool operator==(const LinuxPolicy&) const = default;
};

/// Parses "manylinux_2_28_x86_64", "musllinux_1_2_aarch64" and the legacy names
/// "manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_aarch64"; nullopt for any other
/// platform.
std::optional<LinuxPolicy> parse_linux_policy(std::string_view platform);
/// "manylinux_2_28_x86_64".
std::string to_string(const LinuxPolicy& policy);

}  // namespace pinwheel::pep
