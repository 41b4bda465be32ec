#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.h"

namespace pinwheel::inspect {

/// What the name of a library says about the Pythons that import it.
enum class ModuleKind {
  plain,          ///< "_C.so": any Python, or no module at all
  stable,         ///< "_C.abi3.so"
  one_python,     ///< "_C.cpython-312-x86_64-linux-gnu.so"
  free_threaded,  ///< "_C.cpython-313t-x86_64-linux-gnu.so"
};

struct ModuleName {
  ModuleKind kind = ModuleKind::plain;
  std::string python = {};  ///< "312" of a module for one Python, "313t" of a free-threaded one

  bool operator==(const ModuleName&) const = default;
};

/// Whether the interpreter, or another part of CPython, gives a symbol of that name.
bool is_python_symbol(std::string_view name);

/// Reads the suffix of a library's file name; directories do not matter.
ModuleName module_name(std::string_view file);

/// The symbols of CPython that a library takes from whoever loads it, sorted.
std::vector<std::string> python_symbols(const binary::Elf& elf);

/// Those of `symbols` that a free-threaded build of CPython has and no other.
std::vector<std::string> free_threaded_symbols(const std::vector<std::string>& symbols);

/// Whether the code drops references as a build with the global lock does, inline.
bool counts_references_under_lock(const std::vector<std::string>& symbols);

/// What a library takes that is not in the Stable ABI of a Python 3 release.
struct StableAbiFaults {
  std::vector<std::string> never;  ///< in no release
  std::vector<std::string> later;  ///< "PyBuffer_Release (3.11)"
};
StableAbiFaults stable_abi_faults(const std::vector<std::string>& symbols, int minor);

}  // namespace pinwheel::inspect
