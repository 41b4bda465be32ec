#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wheel/headers.h"

namespace pinwheel::wheel {

enum class RootIs { purelib, platlib };

/// The WHEEL file of a wheel (binary distribution format).
struct WheelFile {
  HeaderBlock block;
  RootIs root = RootIs::purelib;

  std::string wheel_version() const { return block.get("Wheel-Version").value_or(""); }
  /// The `Tag` values, verbatim: "py3-none-any".
  std::vector<std::string> tags() const { return block.all("Tag"); }
  /// The build tag, verbatim; empty: none.
  std::string build() const { return block.get("Build").value_or(""); }
};

/// Kind `check` when Wheel-Version is not 1.x, Root-Is-Purelib is not true or false, or there is no
/// Tag.
Result<WheelFile> parse_wheel_file(std::string_view text);
/// Replaces the Tag lines with these tags, in order, at the position of the first.
void set_tags(WheelFile& file, const std::vector<std::string>& tags);
std::string to_string(const WheelFile& file);

}  // namespace pinwheel::wheel
