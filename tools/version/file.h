#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "version/derive.h"

namespace pinwheel::version {

/// `from: file`: parses the contents of a version file, which may have white space around the
/// version. `path` is for messages. `config` when it is empty, not a version, or has a local part.
Result<Derived> version_from_file(std::string_view contents, const std::string& path);

}  // namespace pinwheel::version
