#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::pep {

/// A glob on the names of tags, of which a part is a version: "v*", "pkg-v[0-9]*", "*-release".
struct TagPattern {
  std::string glob;
  std::string before;  ///< what stands before the version, literally
  std::string after;

  /// The version in a name; nullopt if the name does not match.
  std::optional<std::string_view> version_in(std::string_view name) const;
  /// The name of a tag with that version.
  std::string with(std::string_view version) const { return before + std::string(version) + after; }
};

/// One `*` matches the version. Before it may stand `[...]` and `?` for how the version begins, as
/// in git's globs: "v[0-9]*". Kind `config` for anything else, which no version could be read by.
Result<TagPattern> parse_tag_pattern(std::string_view glob);

}  // namespace pinwheel::pep
