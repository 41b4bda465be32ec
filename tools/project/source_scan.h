#pragma once
#include <set>
#include <string>
#include <string_view>

namespace pinwheel::project {

/// The language of a source file, and the headers it includes.
enum class SourceMark {
  c,
  cxx,
  cuda,
  hip,
  cython,
  rust,
  python_h,      ///< includes `Python.h`
  pybind11,      ///< includes pybind11
  nanobind,      ///< includes nanobind
  torch,         ///< includes torch's C++ headers
  torch_stable,  ///< includes `torch/csrc/stable`
};

/// A source file of a project.
struct ScannedSource {
  std::string path;  ///< relative to the project
  std::set<SourceMark> marks = {};
  /// Headers that it includes, "zfp.h", also with Cython's `extern from`.
  std::set<std::string> includes = {};
  std::string limited_api = {};   ///< value of `Py_LIMITED_API`, "3.10"
  std::string torch_target = {};  ///< value of `TORCH_TARGET_VERSION`, "2.10"

  bool operator==(const ScannedSource&) const = default;
};

/// Whether `scan_source` can find something in a file with that name.
bool is_source_name(std::string_view path);

/// Scans a source file of any size, line by line. Preprocessor conditions are not evaluated.
ScannedSource scan_source(std::string_view path, std::string_view text);

}  // namespace pinwheel::project
