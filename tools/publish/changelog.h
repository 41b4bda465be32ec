#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::publish {

/// The section of a changelog about a version: the text between the first heading with that version
/// ("## 1.2.0 (2026-11-02)", "## [v1.2.0]", "1.2.0" above a line of `-` or `=`) and the next
/// heading of the same or a higher level, without blank lines around it. Versions are compared by
/// PEP 440. Lines in fenced code are no headings. nullopt without such a heading.
std::optional<std::string> changelog_section(std::string_view text, std::string_view version);

}  // namespace pinwheel::publish
