#pragma once
#include <string>

#include "init/decide.h"
#include "init/project_facts.h"

namespace pinwheel::report {

/// The findings and decisions of `init` as one JSON object, two-space indent, keys sorted, a
/// newline at the end:
///     schema      "pinwheel-init/1"; keys may be added under the same number
///     name        of the package
///     matrix      path of the file, as written; null if it went to stdout
///     facts       {backend, build_requires, dependencies, requires_python, version, tags,
///                 workflow: {python, cuda, torch}, cibuildwheel: [option],
///                 sources: {language: number of files}}; version and tags may be null
///     lines       [{key, value, because}] in the order of the file
///     left_out    [{what, why}]
///     proven_by   file name of the wheel that proved `abi`; null without `--prove`
std::string init_json(const init::ProjectFacts& facts, const init::Decision& decision,
                      const std::string& matrix);

}  // namespace pinwheel::report
