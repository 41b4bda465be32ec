#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wheel/headers.h"

namespace pinwheel::wheel {

/// Core metadata (versions 1.0 to 2.5), the contents of METADATA and PKG-INFO.
struct Metadata {
  HeaderBlock block;

  std::string version_of_format() const;  ///< "2.4"
  std::string name() const;
  std::string version() const;
  std::vector<std::string> requires_dist() const { return block.all("Requires-Dist"); }
  std::vector<std::string> license_files() const { return block.all("License-File"); }
  /// The long description: the body, or in old versions the `Description` header.
  std::string description() const;
};

/// Kind `check` when the text is not a header block, or Metadata-Version, Name or Version is
/// missing, duplicated or malformed.
Result<Metadata> parse_metadata(std::string_view text);
/// `parse_metadata` reads it back to an equal value.
std::string to_string(const Metadata& metadata);

/// The normalized project name of a requirement: "torch" of "Torch >=2.10; extra == 'x'".
std::string requirement_project(std::string_view requirement);
/// Whether a requirement applies only to an extra.
bool is_of_extra(std::string_view requirement);
/// Replaces the unconditional requirements on the same project with `requirement`; requirements of
/// extras are kept. Other headers keep their position.
void set_requirement(Metadata& metadata, const std::string& requirement);

}  // namespace pinwheel::wheel
