#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::publish {

/// The bytes of `<name>-<version>/PKG-INFO` in an uncompressed tar archive (POSIX ustar and pax;
/// PEP 625). Kind `check` when the archive is corrupt or has no such file.
Result<std::string> sdist_metadata(std::string_view tar);

}  // namespace pinwheel::publish
