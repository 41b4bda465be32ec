#pragma once
#include <string>
#include <string_view>

namespace pinwheel::wheel {

/// The order of members in written wheels: by name, but metadata last, so that a reader of a remote
/// wheel fetches it together with the central directory, and RECORD at the very end. `info` is the
/// dist-info directory with a slash.
bool sorts_before(const std::string& info, std::string_view left, std::string_view right);

}  // namespace pinwheel::wheel
