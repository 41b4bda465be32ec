#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/wheel_facts.h"

// Symbol verdicts
//
// The dynamic linker decides whether an extension can be imported with a given torch: Python opens
// the library with RTLD_NOW, so every symbol must be found at once, or the import fails. This
// module answers the question from tables, for any torch release, without loading anything.
//
// The inputs are the wheel's libraries (what each defines, imports and needs) and the libraries
// that are already in the process, with their exports (`LoadedLibraries`, from the table of
// torch's exports). `LinkView` first resolves the references within the wheel, which are the same
// for every torch. What remains is judged for each torch:
//
//     the symbol is exported by a library in scope         given
//     it has a version, of a library with known exports    missing
//     it has a version, of another library (libstdc++)     given: the linker saw it there
//     its name belongs to torch (c10::, at::, torch::)     missing
//     its name belongs to CPython (PyList_New)             given: the interpreter has it
//     its name belongs to CUDA or OpenMP                   given if such a library is in scope,
//                                                          else as the last row
//     its name belongs to the C or C++ runtime             undecided
//     anything else                                        missing, or undecided if a library
//                                                          with unknown exports is in scope
//
// The scope of a library is itself and the closure of the libraries that it needs, as for
// RTLD_LOCAL. So a symbol of libtorch_cuda does not help a library that only needs libtorch_cpu.
//
// Example: torchaudio 2.8.0 imports `c10::SymInt::sym_ne(c10::SymInt const&) const`. In torch
// 2.8.0, libc10.so exports it: given. In torch 2.9.0 nothing exports it. It has no version, and
// its name is torch's, so it is missing: no. A wheel that also needs libsox.so, which no known
// package provides, has `sox_open_read` undecided and libsox.so absent, which is reported but is
// not torch's fault.
//
// `missing` makes the verdict `no`. `undecided` does not: a false alarm would block a wheel that
// works. Only entries count, which are the extension modules and the libraries that no other
// library of the wheel needs. A helper library is opened by its users, in their scope, and may
// rely on symbols that they have. Weak symbols may stay undefined and are skipped.
namespace pinwheel::inspect {

/// A library outside of the wheel with known exports: torch's, another wheel's.
struct OutsideLibrary {
  std::string soname;
  std::vector<std::string> needed = {};
};

/// The libraries already loaded, as after `import torch`.
struct LoadedLibraries {
  std::vector<OutsideLibrary> libraries = {};
  /// The `libraries` that export a symbol, as indexes.
  std::function<std::vector<size_t>(const std::string& mangled)> exporters = {};
};

/// A symbol that libraries of the wheel import.
struct WantedSymbol {
  std::string name;                    ///< mangled
  std::vector<std::string> wanted_by;  ///< members, sorted

  bool operator==(const WantedSymbol&) const = default;
};

/// A library that the wheel needs and that has no known provider.
struct AbsentLibrary {
  std::string soname;
  std::vector<std::string> needed_by;  ///< members, sorted

  bool operator==(const AbsentLibrary&) const = default;
};

/// The result of loading a wheel into a process with loaded libraries. Lists are sorted by name.
struct Loading {
  /// Symbols that nothing in the scope of an entry defines: with RTLD_NOW it does not load.
  std::vector<WantedSymbol> missing = {};
  /// Symbols that a library with unknown exports may define: libstdc++, libz, an absent one.
  std::vector<WantedSymbol> undecided = {};
  std::vector<AbsentLibrary> absent = {};
  /// Members that do not load when opened on their own, including helper libraries.
  std::vector<std::string> failing = {};

  /// Whether no symbol is missing and none of torch's libraries is absent.
  bool loads() const;
};

/// The requirements for opening a library of the wheel, including those of the wheel's libraries
/// that it depends on.
struct OpenedLibrary {
  struct Import {
    size_t symbol = 0;         ///< an index into `LinkView::symbols`
    size_t member = 0;         ///< an index into the facts' libraries
    std::string library = {};  ///< the library of the version; empty without a version
  };
  struct Need {
    std::string soname;
    size_t member = 0;
  };
  bool entry = false;
  std::vector<Need> needed = {};
  std::vector<Import> imports = {};
  /// Versioned symbols that the wheel's own library of that name does not define.
  std::vector<Import> broken = {};
};

/// The libraries of a wheel as the dynamic linker sees them. References within the wheel are
/// resolved once, so that checking many torch builds is cheap.
///
/// A library is opened like an extension module, with RTLD_NOW and RTLD_LOCAL: its scope is itself
/// and the closure of its needed libraries, whoever provides them. The wheel's own libraries are
/// found by soname or file name, regardless of search paths, because packages open them in order.
/// Weak symbols may stay undefined. A versioned symbol belongs to the library of the version: a
/// library of the wheel must define it, a library with unknown exports is assumed to. An
/// unversioned symbol was not linked against the C library or libstdc++, because the linker would
/// have recorded their versions; `symbol_owner` knows the exceptions.
class LinkView {
 public:
  /// `declared`: sonames or globs of libraries that others provide. The facts must outlive the
  /// view.
  explicit LinkView(const WheelFacts& facts, std::vector<std::string> declared = {});

  Loading load_with(const LoadedLibraries& loaded_libraries) const;

  /// The symbols that the wheel's libraries import from outside, except weak ones and those of
  /// system libraries; mangled, unique, sorted.
  const std::vector<std::string>& symbols() const { return symbols_; }
  /// The sonames that the wheel's libraries need from outside, sorted.
  std::vector<std::string> needed() const;
  /// Members that are opened on their own: extension modules, and libraries that no other library
  /// of the wheel needs.
  std::vector<std::string> entries() const;

 private:
  std::vector<size_t> own_closure(size_t root) const;
  OpenedLibrary opened(size_t root, std::map<std::string, size_t>& numbers) const;
  struct ImportContext {
    size_t member;
    const std::set<std::string_view>& given;  ///< by the closure of the opened library
    std::map<std::string, size_t>& numbers;   ///< numbers of symbols, in order of first use
  };
  void add_import(const binary::Symbol& symbol, const ImportContext& context,
                  OpenedLibrary& out) const;

  const WheelFacts* facts_;
  std::vector<std::string> declared_;
  std::map<std::string, size_t> own_;  ///< by soname and by file name
  std::vector<OpenedLibrary> opened_;  ///< one per library of the facts
  std::vector<std::string> symbols_;
};

}  // namespace pinwheel::inspect
