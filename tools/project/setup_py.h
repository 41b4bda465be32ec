#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::project {

/// How the call of `setup` sets the version: not at all, by a literal in the call itself, or by an
/// expression, such as a name.
enum class VersionArgument { none, literal, expression };

/// The facts read from the text of `setup.py`. Nothing is run: values are the literals in the call
/// of `setup`, or in a name that is assigned a literal.
struct SetupPy {
  std::string name = {};
  std::string version = {};
  VersionArgument version_argument = VersionArgument::none;
  std::string python_requires = {};
  std::vector<std::string> install_requires = {};
  std::vector<std::string> setup_requires = {};
  std::vector<std::string> classifiers = {};
  std::map<std::string, std::vector<std::string>> extras = {};
  std::vector<std::string> imports = {};      ///< top-level modules that it imports
  std::vector<std::string> environment = {};  ///< environment variables that it reads
  std::vector<std::string> libraries = {};  ///< literals of lists of libraries and of flags, `-lz`
  bool packages = false;                    ///< it has `packages` or `py_modules`
  bool extensions = false;                  ///< it makes extension modules
  bool plain_extension = false;             ///< an `Extension`, and `py_limited_api` nowhere
  bool torch_extension = false;             ///< with `torch.utils.cpp_extension`
  bool cuda_extension = false;              ///< with its `CUDAExtension`
  bool gpu_architectures = false;           ///< it chooses the GPUs that nvcc compiles for
  /// It builds only that extension, on every machine: there is no other extension and no `if`
  /// around it.
  bool cuda_only = false;
  bool ninja = false;               ///< which compiles with ninja if available
  bool limited_api = false;         ///< `py_limited_api=True`
  std::string py_limited_api = {};  ///< option of `bdist_wheel`, "cp310"; "cp3" if it is computed
  std::string python_tag_of_abi3 = {};  ///< the tag that `get_tag` returns before "abi3", "cp310"
  std::string python_tag_of_none = {};  ///< or before "none", "py39"
  /// The release of Python in its comparisons with `sys.version_info`, in addition to a limited
  /// API: "3.12".
  std::string asked_python = {};
  bool asks_for_threads = false;         ///< it checks whether Python is free-threaded
  std::string limited_api_version = {};  ///< by the macro `Py_LIMITED_API`, "3.10"
  std::string torch_target = {};         ///< by the macro `TORCH_TARGET_VERSION`, "2.10"

  bool operator==(const SetupPy&) const = default;
};

SetupPy parse_setup_py(std::string_view text);

}  // namespace pinwheel::project
