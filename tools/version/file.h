#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "version/derive.h"

namespace pinwheel::version {

/// `from: file`: the version that the contents of a file hold, with nothing but white space around
/// it. `path` is for messages. `config` when it is empty, is no version or has a local part.
Result<Derived> version_from_file(std::string_view contents, const std::string& path);

}  // namespace pinwheel::version
