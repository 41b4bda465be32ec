#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "pep/wheel_name.h"
#include "plan/action.h"
#include "project/pyproject.h"

namespace pinwheel::plan {

/// The relation of the Pythons that may install a built wheel to those that the plan promised.
enum class TagFit {
  exact,
  narrower,  ///< some promised Python cannot install it
  wider,     ///< Pythons that have builds of their own can install it, too
};

/// Compares tags by the Pythons that install them (PEP 425, PEP 703): "cp310-abi3" is every CPython
/// from 3.10 on with a global lock, "py3-none" every Python, "cp312-none" that of 3.12. `oldest` is
/// the oldest Python of the class: if `planned` is "none", older ones are not promised.
TagFit tag_fit(const pep::TagSet& built, const WheelTags& planned, const std::string& oldest);

/// The value of `abi.python` that describes such tags: "none", "limited(3.10)", "version".
std::string python_abi_of(const pep::TagSet& tags);

/// Whether the libraries of a built wheel use symbols of CPython.
enum class PythonUse { unknown, none, some };

/// Checks the wheel of a backend against the plan: the project's name, its public version, its
/// tags. Returns warnings, for people. Kind `check` for another name or version. Kind
/// `unplanned_wheel` for tags that break the promise of `abi`, or with which two builds of the plan
/// write the same file. The hint has the `abi` to write instead and the fix for the backend: a
/// wheel that uses symbols of CPython (`use`) cannot be for every Python. `metadata_name` is `Name`
/// of METADATA.
Result<std::vector<std::string>> judge_built_wheel(const BuildWheel& action,
                                                   const pep::WheelName& built,
                                                   const std::string& metadata_name,
                                                   project::Backend backend,
                                                   PythonUse use = PythonUse::unknown);

/// Checks the platform tag of a finished wheel against the axis `libc`. Kind `unplanned_wheel` for
/// the other C library; a wheel for any platform is for both.
Done judge_platform(const BuildWheel& action, const pep::WheelName& finished);

/// A file with the name of a step's output.
struct NamedFile {
  std::string name;  ///< without directories
  uint64_t size = 0;
};

/// Why files cannot be the outputs of a step, one text for each reason; empty: they can. A build
/// makes a wheel for each of its names, with tags that keep the plan's promise, and one sdist; both
/// have size limits. The first publication of a release writes a record for each project. Other
/// actions make no files. Pure.
std::vector<std::string> unexpected_outputs(const Action& action,
                                            const std::vector<NamedFile>& files);

}  // namespace pinwheel::plan
