#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "pep/cpython_tag.h"
#include "pep/tag.h"
#include "pep/version.h"

namespace pinwheel::pep {

/// A CPython on a platform, for which an installer chooses files.
struct TargetPython {
  CPythonTag python;
  std::string platform;  ///< the newest tag that it supports, "manylinux_2_28_x86_64"

  bool operator==(const TargetPython&) const = default;
};

/// Parses "cp311-manylinux_2_28_x86_64" and "cp313t-musllinux_1_2_aarch64". A platform that is
/// neither manylinux nor musllinux, such as `win_amd64`, stands for itself. `usage` for other text
/// and for macOS, whose tags have an order of their own.
Result<TargetPython> parse_target_python(std::string_view text);
std::string to_string(const TargetPython& target);

/// The version that markers and `Requires-Python` are compared with: a late release of the minor
/// version, as users have it.
Version python_release(const TargetPython& target);

/// The place of a tag in the order of `packaging.tags` (pip and uv use the same), smaller is
/// preferred: first by interpreter and ABI, then by platform.
using TagRank = std::pair<int, int>;
/// The best rank in a set of tags; nullopt if the target installs none of them.
std::optional<TagRank> best_rank(const TagSet& tags, const TargetPython& target);

}  // namespace pinwheel::pep
