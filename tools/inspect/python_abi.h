#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.h"
#include "pep/cpython_tag.h"

namespace pinwheel::inspect {

/// The Pythons that import a library, from its file name.
enum class ModuleKind {
  plain,                 ///< "_C.so": any Python, or not a module
  stable,                ///< "_C.abi3.so"
  stable_free_threaded,  ///< "_C.abi3t.so"
  one_python,            ///< "_C.cpython-312-x86_64-linux-gnu.so", "_C.cp312-win_amd64.pyd"
  free_threaded,         ///< "_C.cpython-313t-x86_64-linux-gnu.so"
};

struct ModuleName {
  ModuleKind kind = ModuleKind::plain;
  std::string python = {};    ///< "312" of a module for one Python, "313t" of a free-threaded one
  std::string platform = {};  ///< "x86_64-linux-gnu", "darwin", "win_amd64"; empty if not named

  bool operator==(const ModuleName&) const = default;
};

/// Whether a symbol of that name belongs to CPython.
bool is_python_symbol(std::string_view name);

/// Parses the suffix of a library's file name; directories are ignored.
ModuleName module_name(std::string_view file);

/// Whether the library is an extension module: it defines a `PyInit_` function.
bool defines_module(const binary::Elf& elf);

/// Whether that CPython finds modules with such a name.
bool is_searched_by(const ModuleName& module, const pep::CPythonTag& python);
/// Whether a Python that installs wheels for the platform finds modules named for the module's
/// platform: "x86_64-linux-gnu" belongs to "manylinux_2_28_x86_64" and "linux_x86_64". Before 3.11,
/// CPython used the names of glibc on musl, too.
bool is_named_for(const ModuleName& module, std::string_view platform);

/// The CPython symbols that a library imports, sorted.
std::vector<std::string> python_symbols(const binary::Elf& elf);

/// The `symbols` that only a free-threaded build of CPython has.
std::vector<std::string> free_threaded_symbols(const std::vector<std::string>& symbols);

/// Whether the code decrements reference counts inline, as builds with the global lock do.
bool counts_references_under_lock(const std::vector<std::string>& symbols);

/// The symbols a library imports that are not in the Stable ABI of a Python 3 release.
struct StableAbiFaults {
  std::vector<std::string> never;  ///< in no release
  std::vector<std::string> later;  ///< "PyBuffer_Release (3.11)"
};
StableAbiFaults stable_abi_faults(const std::vector<std::string>& symbols, int minor);

}  // namespace pinwheel::inspect
