#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::project {

/// The facts read from a `CMakeLists.txt`, without the calls in an `if` whose condition is false.
struct CMakeLists {
  std::vector<std::string> languages = {};   ///< of `project` and `enable_language`, as written
  std::vector<std::string> packages = {};    ///< of `find_package`, each once
  std::vector<std::string> pkg_config = {};  ///< modules of `pkg_check_modules`, without versions
  /// Plain names in `find_library` and `target_link_libraries`, without targets of the file itself.
  std::vector<std::string> libraries = {};
  bool needs_cuda = false;     ///< CUDA is a language of `project`, which no condition surrounds
  bool python_module = false;  ///< it makes an extension module of Python
  /// The modules whose file name is certainly for one Python, "m" of
  /// `m.cpython-312-x86_64-linux-gnu.so`.
  std::vector<std::string> modules_for_one = {};
  bool stable_abi = false;  ///< nanobind's `STABLE_ABI`, or `USE_SABI` of `Python_add_library`
  std::string stable_abi_version = {};  ///< of `USE_SABI` or the macro `Py_LIMITED_API`, "3.10"
  std::string torch_target = {};        ///< by the macro `TORCH_TARGET_VERSION`, "2.10"

  bool operator==(const CMakeLists&) const = default;
};

/// `defines` are the variables of the command line, by name (`-DNAME=VALUE`). They decide an `if`,
/// together with the defaults of `option`, the literals of `set` and the known values for Linux. If
/// these do not decide it, both branches count.
CMakeLists parse_cmake_lists(std::string_view text,
                             const std::map<std::string, std::string>& defines = {});

/// Merges the facts of two files. `needs_cuda` is that of the first file, the top-level one.
CMakeLists merged(CMakeLists first, const CMakeLists& second);

/// The truth of a condition of a build file, as far as its text shows it.
enum class Truth { no, yes, unknown };

constexpr Truth truth_of(bool holds) {
  return holds ? Truth::yes : Truth::no;
}

/// The combined truth of two cases of which exactly one applies.
constexpr Truth either(Truth a, Truth b) {
  return a == b ? a : Truth::unknown;
}

constexpr Truth negated(Truth truth) {
  if (truth == Truth::unknown) return Truth::unknown;
  return truth_of(truth == Truth::no);
}

constexpr Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return either(a, b);
}

constexpr Truth one_of(Truth a, Truth b) {
  return negated(both(negated(a), negated(b)));
}

}  // namespace pinwheel::project
