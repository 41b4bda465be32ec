#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

// Package families
//
// A matrix may build several packages that may require one another: `package` and those of
// `family`. They have one version and one set of axes. The family makes an axis, `package`, which
// is the first one, so each combination is a variant of each package. Each package has its own
// source and its own `abi`, so its variants form classes of their own:
//
//     my-ops        abi: {python: version, compute: exact}    my-ops-cp312-cu130, ...
//     my-ops-data   abi: {python: none, compute: none}        my-ops-data
//
// A variant of a package that lists siblings in `requires.siblings` needs the wheel of each
// sibling's class for the same combination.
namespace pinwheel::matrix {

/// The axis that a family makes.
inline constexpr const char* kPackageAxis = "package";

/// All packages of the matrix, `package` first, in the order of the file; owned by the matrix.
std::vector<const Package*> packages_of(const Matrix& matrix);

/// The package of a variant, owned by the matrix.
const Package& package_of(const Matrix& matrix, const Variant& variant);

/// The ABI of the wheels of a variant's package, owned by the matrix.
const Abi& abi_of(const Matrix& matrix, const Variant& variant);

/// All packages that a package requires, directly or indirectly; a package comes after those that
/// it requires. A package that requires itself is in its own list.
std::vector<std::string> required_packages(const Matrix& matrix, const std::string& name);

/// Finds the classes of a family that belong together. It refers to the matrix.
class SiblingClasses {
 public:
  /// `classes` and `variants` are those of the whole matrix.
  SiblingClasses(const Matrix& matrix, const std::vector<AbiClass>& classes,
                 const std::vector<Variant>& variants);

  /// The ids of the classes that serve the variant's combination, one for each of its package's
  /// `required_packages`, in their order.
  /// `config` if the matrix has removed the combination from one of these packages.
  Result<std::vector<std::string>> required_by(const Variant& variant) const;

 private:
  const Matrix& matrix_;
  std::unordered_map<std::string, std::string> by_key_;  ///< id of the class by its key
};

}  // namespace pinwheel::matrix
