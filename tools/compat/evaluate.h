#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compat/run_result.h"
#include "compat/torch_table.h"
#include "exports/table.h"
#include "inspect/symbol_resolution.h"
#include "inspect/wheel_facts.h"
#include "pep/tag.h"

namespace pinwheel::compat {

/// What a wheel's libraries use of torch.
enum class TorchUse {
  none,     ///< nothing
  stable,   ///< the C shims of the Stable ABI alone
  classic,  ///< C++, whose ABI holds within a minor release
};
/// "none", "stable", "classic".
std::string_view to_string(TorchUse use);

enum class Verdict {
  guaranteed,       ///< by the Stable ABI, or by the record of the wheel's own build
  symbols_resolve,  ///< it loads; whether the classic C++ ABI is the same nobody can see
  no,
};
/// "guaranteed", "symbols-resolve", "no".
std::string_view to_string(Verdict verdict);

/// How a wheel does on one build of torch.
struct BuildVerdict {
  exports::Build build;
  std::vector<std::string> pythons = {};  ///< tags on which it was judged, "cp311"
  bool loads = false;                     ///< RTLD_NOW, over torch's symbols, on all of them
  Verdict verdict = Verdict::no;
  std::vector<inspect::WantedSymbol> missing = {};
  std::vector<inspect::WantedSymbol> undecided = {};
  std::vector<inspect::AbsentLibrary> needed_unresolved = {};
  std::vector<std::string> failing = {};        ///< as in `inspect::Loading`
  std::optional<RunResult> run = std::nullopt;  ///< where it was tried
};

/// Whether it lacks a library of torch's or of a GPU, of that number or at all: such a library is
/// no symbol of torch's, and import fails all the same.
bool lacks_library(const BuildVerdict& build);

/// How a wheel does on every build of torch that a table has for its architecture and Pythons.
struct TorchVerdicts {
  TorchUse use = TorchUse::none;
  /// Of a wheel on the Stable ABI: the first release that has every shim that it calls.
  std::optional<pep::Version> minimum = std::nullopt;
  std::optional<pep::Version> built_with = std::nullopt;  ///< by its own record
  std::vector<BuildVerdict> builds = {};                  ///< oldest first
  std::map<std::string, SymbolHistory> histories = {};    ///< of every missing symbol
};

/// What the user adds to the wheel and torch.
struct Beside {
  std::vector<BesideLibrary> libraries = {};  ///< of `--with`
  std::vector<pep::TagSet> wheels = {};       ///< the tags of `--with`, which bound the Pythons
  std::vector<std::string> declared = {};     ///< sonames or globs that something brings
};

/// The libraries of another wheel as something to load beside, under soname and file name.
std::vector<BesideLibrary> beside_libraries(const inspect::WheelFacts& other);

/// Pure. A wheel without binaries loads everywhere and uses nothing.
TorchVerdicts evaluate(const inspect::WheelFacts& facts, const exports::Table& table,
                       const Beside& beside = {});

/// The architecture of a wheel's libraries, "x86_64"; of its tags when it has none.
std::string arch_of(const inspect::WheelFacts& facts);

}  // namespace pinwheel::compat
