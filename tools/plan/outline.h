#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::plan {

/// One build and the selected variants that its wheel serves.
struct BuildGroup {
  matrix::AbiClass cls;
  /// Selected variant ids, in matrix order; none if only selected variants of other packages of the
  /// family need the wheel.
  std::vector<std::string> tests;
};

/// The builds and tests of a selection, from the matrix alone: no facts, no keys.
struct Outline {
  std::vector<matrix::Variant> variants;  ///< selected, in matrix order
  std::vector<BuildGroup> builds;         ///< in matrix order
};

/// Groups the selected variants by ABI class, and adds the classes whose wheels they require. The
/// classes come from the whole matrix, so a build does not depend on the selection.
Outline make_outline(const std::vector<matrix::AbiClass>& classes,
                     std::vector<matrix::Variant> selected);

/// Ids of the builds whose wheels the test of a variant of the class installs as well; a build
/// comes after those whose wheels its own requires.
std::vector<std::string> sibling_builds(const matrix::AbiClass& cls, const std::string& variant);

/// The outline of some of its variants.
Outline part_of(const Outline& outline, const std::vector<matrix::Variant>& variants);

/// The outline with the tests of the wheels that its variants require, for a publication: of each
/// required class, the variant with the same values on the other axes, otherwise the first one.
/// `classes` and `variants` are those of the whole matrix.
Outline with_tested_siblings(Outline outline, const std::vector<matrix::AbiClass>& classes,
                             const std::vector<matrix::Variant>& variants);

/// "build:CLASS" by the id of the variant that it serves.
std::unordered_map<std::string, std::string> builds_by_variant(const Outline& outline);

/// The first build of a package, whose environment makes its sdist; null if none is of the package.
/// `package` is empty for the matrix's `package`.
const BuildGroup* sdist_build(const Outline& outline, std::string_view package);

/// "24 variants, 4 builds, 24 tests".
std::string summary_line(const Outline& outline);

}  // namespace pinwheel::plan
