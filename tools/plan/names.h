#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"
#include "wheel/naming.h"

namespace pinwheel::plan {

/// A version as names need it: PEP 440, the local part still apart.
struct ReleaseVersion {
  std::string version;          ///< public part, "1.3.0.dev4"
  std::string unreleased = {};  ///< "g1a2b3c4" or "g1a2b3c4.dirty"; empty on a release

  bool operator==(const ReleaseVersion&) const = default;
};

/// What a wheel's file name will say besides distribution and version.
struct WheelTags {
  std::string python;  ///< "py3", "cp310", "cp312"
  std::string abi;     ///< "none", "abi3", "cp312", "cp313t"
  std::string arch;    ///< "x86_64"; the machine's own when the matrix has no `arch` axis
};

/// The tags that the class's ABI implies; `representative` is the variant that builds it.
WheelTags tags_of(const matrix::Abi& abi, const matrix::Variant& representative,
                  const std::string& machine);

/// The label of a class: every axis in the binary that wheel tags do not carry, "cu130",
/// "pt213cu130". A class that no such axis tells from others has the label of its compute, "cpu".
std::string label_of(const matrix::Matrix& matrix, const matrix::Variant& representative);

/// What `name_wheels` decides on. On a target with `others: name-suffix` the distribution's name is
/// followed by the compute, unless the class serves the target's `default`, and by the values of
/// the project's own axes, but for the first value of each: "-cpu", "-inference", "-cpu-inference".
struct NamingRequest {
  std::vector<matrix::AbiClass> classes;
  std::vector<matrix::Variant>
      variants;                      ///< of the whole matrix, members of the classes among them
  std::vector<std::string> targets;  ///< names of publish targets; none: one plain local naming
  ReleaseVersion version;
  std::string machine;  ///< "x86_64"
};

/// class id -> the names its finished wheel gets, one per distinct (distribution, version).
using Namings = std::map<std::string, std::vector<wheel::Naming>>;

/// The preflight of names, before anything is built. Errors of kind `config`: two classes with one
/// file name on one target (the axis that tells them apart is named), a local version on PyPI or
/// TestPyPI, an unknown target.
Result<Namings> name_wheels(const matrix::Matrix& matrix, const NamingRequest& request);

}  // namespace pinwheel::plan
