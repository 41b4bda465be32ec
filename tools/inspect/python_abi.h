#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.h"

namespace pinwheel::inspect {

/// The Pythons that import a library, from its file name.
enum class ModuleKind {
  plain,          ///< "_C.so": any Python, or not a module
  stable,         ///< "_C.abi3.so"
  one_python,     ///< "_C.cpython-312-x86_64-linux-gnu.so"
  free_threaded,  ///< "_C.cpython-313t-x86_64-linux-gnu.so"
};

struct ModuleName {
  ModuleKind kind = ModuleKind::plain;
  std::string python = {};  ///< "312" of a module for one Python, "313t" of a free-threaded one

  bool operator==(const ModuleName&) const = default;
};

/// Whether a symbol of that name belongs to CPython.
bool is_python_symbol(std::string_view name);

/// Parses the suffix of a library's file name; directories are ignored.
ModuleName module_name(std::string_view file);

/// The CPython symbols that a library imports, sorted.
std::vector<std::string> python_symbols(const binary::Elf& elf);

/// The `symbols` that only a free-threaded build of CPython has.
std::vector<std::string> free_threaded_symbols(const std::vector<std::string>& symbols);

/// Whether the code drops references inline, as builds with the global lock do.
bool counts_references_under_lock(const std::vector<std::string>& symbols);

/// What a library takes that is not in the Stable ABI of a Python 3 release.
struct StableAbiFaults {
  std::vector<std::string> never;  ///< in no release
  std::vector<std::string> later;  ///< "PyBuffer_Release (3.11)"
};
StableAbiFaults stable_abi_faults(const std::vector<std::string>& symbols, int minor);

}  // namespace pinwheel::inspect
