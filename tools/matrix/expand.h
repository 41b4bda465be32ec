#pragma once
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

// Build classes
//
// A matrix of four Pythons, two CUDA versions and three torch releases has 24 variants. Users see
// 24 combinations, and each is tested. But the binary usually depends on less, and building it 24
// times gives 24 equal files. `abi` states the dependence, and variants with equal binaries form a
// class, which is built once.
//
// Each axis value is reduced to the part that the binary depends on:
//
//     axis      value       abi                    part
//     python    3.12        none                   -
//     python    3.12        limited(3.10)          -        one abi3 wheel for all
//     python    3.12        version                3.12
//     torch     2.13        none, stable(2.10)     -
//     torch     2.13        minor                  2.13
//     compute   cuda/13.2   major                  cuda/13
//     compute   cuda/13.2   exact                  cuda/13.2
//     compute   cuda/13.2   none                   -
//     any other axis                               the whole value
//
// Variants whose remaining parts are equal are one class. Its id is made of these parts. With
// `abi: {python: none, torch: stable(2.10), compute: major}`,
//
//     cp310-cu130-torch2.10-x86_64
//     cp312-cu130-torch2.13-x86_64     are all class  cu13-x86_64
//     cp312-cu132-torch2.13-x86_64
//
// If nothing remains, the id is "any". `limited(3.12) else version` is both rules at once: a
// Python from 3.12 on has no part, and an older or free-threaded one has its version
// (`python_abi_for`).
//
// One member, the representative, provides the environment of the build: the one with the oldest
// compute, then the oldest torch, then the oldest Python, because code that was built with an old
// toolkit or against an old release also runs with newer ones, and not the other way around.
// Unmaintained variants represent a class only if it has no others. `build.with` overrides the
// choice.
//
// Classes are computed from the whole matrix, never from a selection. Otherwise `build -s
// python=3.12` would choose another representative, and would give other bytes under the same name
// than the full build.
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

/// The part of an axis value that the binary depends on, as in the table above; empty when it does
/// not.
std::string binary_part(const Abi& abi, const std::string& axis, const std::string& value);

/// `abi.python` as it is for one Python: with `limited(3.12) else version`, an older Python and a
/// free-threaded one have `version`.
PythonAbi python_abi_for(const Abi& abi, const std::string& python);

/// The build units of the variants, in matrix order; an unmaintained variant represents a class
/// only when the class has no other.
Result<std::vector<AbiClass>> abi_classes(const Matrix& matrix,
                                          const std::vector<Variant>& variants);

}  // namespace pinwheel::matrix
