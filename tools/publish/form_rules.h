#pragma once
#include <vector>

#include "base/error.h"
#include "publish/artifact.h"

namespace pinwheel::publish {

/// What PyPI would refuse in the form of a file, one error of kind `check` each: a version of the
/// metadata that it does not know, a summary that is too long or has several lines, License beside
/// License-Expression, a requirement that is malformed or comes from a URL, a malformed
/// Requires-Python, a project URL with a label of more than 32 characters.
std::vector<Error> form_findings(const Artifact& file);

}  // namespace pinwheel::publish
