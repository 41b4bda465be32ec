#pragma once
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

struct Excluded {
  Variant variant;  ///< with the id it would have had
  size_t rule = 0;  ///< index of the rule that excluded it, by `only` or by status `unsupported`
};

struct Expansion {
  std::vector<Variant> variants;  ///< in matrix order; every status but `unsupported`
  std::vector<Excluded>
      excluded;                 ///< by a rule, in matrix order: for `explain` and the support table
  std::vector<Error> warnings;  ///< a rule, exclude or override that matched nothing
};

/// The variants of the whole matrix. Duplicate ids are an error.
Result<Expansion> expand(const Matrix& matrix);

/// `abi.python` as it is for one Python: with `limited(3.12) else version`, an older Python and a
/// free-threaded one have `version`.
PythonAbi python_abi_for(const Abi& abi, const std::string& python);

/// The build units of the variants, in matrix order; an unmaintained variant represents a class
/// only when the class has no other.
Result<std::vector<AbiClass>> abi_classes(const Matrix& matrix,
                                          const std::vector<Variant>& variants);

}  // namespace pinwheel::matrix
