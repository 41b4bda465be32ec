#pragma once
#include <vector>

#include "base/error.h"
#include "publish/artifact.h"

namespace pinwheel::publish {

/// What PyPI would reject in the upload form of a file, one error of kind `check` each: an unknown
/// metadata version, a summary that is too long or has several lines, both License and
/// License-Expression, a requirement that is malformed or has a URL, a malformed Requires-Python, a
/// project URL with a label of more than 32 characters.
std::vector<Error> form_findings(const Artifact& file);

}  // namespace pinwheel::publish
