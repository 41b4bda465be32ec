#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"
#include "wheel/naming.h"

// Wheel names
//
// The name of every wheel is decided in the plan, before anything is built, because two builds
// that would write the same file are a mistake of the matrix and not of a build. A wheel's file
// name has five parts:
//
//     my_ops - 1.0+pt213cu130 - cp312 - cp312 - manylinux_2_28_x86_64
//     distribution  version     python   abi    platform
//
// The tags follow from the class (`tags_of`): `py3-none` without CPython's symbols, `cp310-abi3`
// for `limited(3.10)`, `cp312-cp312` for one Python. Only the architecture and the C library of
// the platform are known in advance, as `manylinux_*_x86_64`. The policy comes from the binaries,
// after the build (`inspect/platform_tag`).
//
// Tags say nothing about CUDA, torch, or the project's own axes. This difference must be in the
// version or in the distribution's name, and each target decides which:
//
// - `label: local` appends a local version. `label_of` names every axis of the binary that tags
//   cannot express: `+cu130`, and with `abi.torch: minor` `+pt213cu130`.
// - `others: name-suffix` changes the name: `my-ops` for the target's `default` compute,
//   `my-ops-cu130` or `my-ops-rocm` for others. PyPI needs this, because it rejects local
//   versions.
// - `variants` gives all wheels one name and version, and each a file name that ends with its label
//   (`wheel/variant_metadata`), `-cu130.whl`. Those for the target's `default` compute are also the
//   plain wheel and the variant `null`.
// - `name` and `label` can also be templates.
//
// Example: two torch releases, `abi: {python: version, torch: minor, compute: exact}`, and the
// target `pypi: {kind: pypi, default: cpu, others: name-suffix}`. The builds
// `cp312-cu130-torch2.12` and `cp312-cu130-torch2.13` would both be `my-ops-cu130 1.0` with the
// tags cp312-cp312: a suffix does not name torch. `name_wheels` reports this collision, names the
// axis `torch`, and suggests a `name` template with `{torch.nodot}`.
//
// A build number adds a part after the version, `my_ops-1.0-1-cp312-...`. Of two wheels with the
// same version and tags, installers take the one with the higher number, so it replaces a wheel
// that is published already (a re-cut).
//
// A wheel that goes to two targets with different rules is built once and finished twice: the
// result of a build is one file for each distinct (distribution, version).
namespace pinwheel::plan {

/// A version for wheel names: PEP 440, with the local part separate.
struct ReleaseVersion {
  std::string version;          ///< public part, "1.3.0.dev4"
  std::string unreleased = {};  ///< "g1a2b3c4" or "g1a2b3c4.dirty"; empty on a release
  uint64_t build = 0;           ///< build number of its wheels (PEP 427); 0: none

  bool operator==(const ReleaseVersion&) const = default;
};

/// The tags in a wheel's file name.
struct WheelTags {
  std::string python;     ///< "py3", "cp310", "cp312"
  std::string abi;        ///< "none", "abi3", "cp312", "cp313t"
  std::string arch;       ///< "x86_64"; the machine's own if the matrix has no `arch` axis
  std::string libc = {};  ///< "glibc" or "musl"; empty if the matrix has no `libc` axis
};

/// The part of a wheel's platform tag that is known before it is built: "musllinux_*_x86_64";
/// without an axis `libc`, "*_x86_64".
std::string platform_pattern(const WheelTags& tags);

/// The tags for the class's ABI; `representative` is the variant that builds it.
WheelTags tags_of(const matrix::Abi& abi, const matrix::Variant& representative,
                  const std::string& machine);

/// The label of a class: every axis of the binary that wheel tags do not cover, "cu130",
/// "pt213cu130". If no such axis distinguishes it from other classes, it is the compute's label,
/// "cpu".
std::string label_of(const matrix::Matrix& matrix, const matrix::Variant& representative);

/// The input of `name_wheels`. On a target with `others: name-suffix` the distribution's name is
/// followed by the compute, unless the class serves the target's `default`, and by the values of
/// the project's own axes, except the first value of each: "-cpu", "-inference", "-cpu-inference".
struct NamingRequest {
  std::vector<const matrix::AbiClass*> classes;
  /// Of the whole matrix, including members of the classes.
  const std::vector<matrix::Variant>& variants;
  std::vector<std::string> targets;  ///< names of publish targets; none: one local naming
  ReleaseVersion version;
  std::string machine;  ///< "x86_64"
};

/// Class id -> the names of its finished wheel, one per distinct (distribution, version).
using Namings = std::unordered_map<std::string, std::vector<wheel::Naming>>;

/// One naming for each distinct file, with its label as the only element of `variants`, or none.
std::vector<wheel::Naming> each_file(const std::vector<wheel::Naming>& namings);

/// Of the names of a wheel, the one on a target; empty if the target gets none of them.
wheel::Naming name_on(const std::string& target, const std::vector<wheel::Naming>& namings);

/// Whether a wheel has the name, the version, one of the labels and the build number of a naming.
/// Without a number, it may have that of its build backend.
bool is_wheel_named(std::string_view filename, const wheel::Naming& naming);

/// The name of one file (`each_file`), as far as it is known before the build:
/// "my_ops-1.0-1-cp312-cp312-manylinux_*_x86_64-cu130.whl".
std::string wheel_pattern(const wheel::Naming& file, const WheelTags& tags);

/// "1.2.0", and for a re-cut "1.2.0 build 1".
std::string version_text(const std::string& version, uint64_t build);

/// Checks and assigns names before anything is built. Errors of kind `config`: two classes with the
/// same file name on one target (the message names the axis that distinguishes them) or on two
/// targets (it names both), a local version on PyPI or TestPyPI, a re-cut without a tag of its own
/// on GitHub; with `variants` also a label that is too long, a compute without properties, and two
/// drafts. `usage` for an unknown target.
Result<Namings> name_wheels(const matrix::Matrix& matrix, const NamingRequest& request);

/// The checks of `name_wheels`, in less time if a matrix has many builds.
Done check_wheel_names(const matrix::Matrix& matrix, const NamingRequest& request);

}  // namespace pinwheel::plan
