#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::pep {

/// A glob for the names of tags, a part of which is a version: "v*", "pkg-v[0-9]*", "*-release".
struct TagPattern {
  std::string glob;
  std::string before;  ///< the literal text before the version
  std::string after;

  /// The version in a name; nullopt if the name does not match.
  std::optional<std::string_view> version_in(std::string_view name) const;
  /// The name of a tag with that version.
  std::string with(std::string_view version) const { return before + std::string(version) + after; }
};

/// One `*` matches the version. It may be preceded by `[...]` and `?` for the beginning of the
/// version, as in git's globs: "v[0-9]*". Kind `config` for any other pattern, from which no
/// version could be read.
Result<TagPattern> parse_tag_pattern(std::string_view glob);

}  // namespace pinwheel::pep
