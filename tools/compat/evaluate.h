#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compat/run_result.h"
#include "compat/torch_table.h"
#include "exports/table.h"
#include "inspect/library_lookup.h"
#include "inspect/symbol_resolution.h"
#include "inspect/wheel_facts.h"
#include "pep/tag.h"

namespace pinwheel::compat {

/// The part of torch that a wheel's libraries use.
enum class TorchUse {
  none,     ///< nothing
  stable,   ///< only the C shims of the Stable ABI
  classic,  ///< C++, whose ABI is stable only within a minor release
};
/// "none", "stable", "classic".
std::string_view to_string(TorchUse use);

enum class Verdict {
  guaranteed,       ///< by the Stable ABI, or by the wheel's build record
  symbols_resolve,  ///< it loads; whether the classic C++ ABI is the same cannot be determined
  no,
};
/// "guaranteed", "symbols-resolve", "no".
std::string_view to_string(Verdict verdict);

/// The verdict on a wheel for one build of torch.
struct BuildVerdict {
  exports::Build build;
  std::vector<std::string> pythons = {};  ///< tags for which it was evaluated, "cp311"
  bool loads = false;  ///< with RTLD_NOW, by torch's symbols, on all these Pythons
  Verdict verdict = Verdict::no;
  std::vector<inspect::WantedSymbol> missing = {};
  std::vector<inspect::WantedSymbol> undecided = {};
  std::vector<inspect::AbsentLibrary> needed_unresolved = {};
  std::vector<std::string> failing = {};        ///< as in `inspect::Loading`
  std::optional<RunResult> run = std::nullopt;  ///< if it was tried
};

/// Whether a library of torch or of a GPU stack is missing, or present with another number: it is
/// not a symbol of torch, but import fails all the same.
bool lacks_library(const BuildVerdict& build);

/// The verdicts on a wheel for every build of torch that a table has for its architecture and
/// Pythons.
struct TorchVerdicts {
  TorchUse use = TorchUse::none;
  /// For a wheel on the Stable ABI: the first release with every shim that it calls.
  std::optional<pep::Version> minimum = std::nullopt;
  std::optional<pep::Version> built_with = std::nullopt;  ///< from its build record
  std::vector<BuildVerdict> builds = {};                  ///< oldest first
  std::map<std::string, SymbolHistory> histories = {};    ///< for every missing symbol
  /// Members that are copies of torch's libraries: beside torch, the import aborts on every build.
  std::vector<std::string> copies = {};
  /// Libraries of the wheel that a module does not find: its import fails on every build.
  std::vector<inspect::UnreachableLibrary> unreachable = {};
};

/// Libraries and wheels loaded besides the wheel and torch.
struct Companions {
  std::vector<CompanionLibrary> libraries = {};  ///< of `--with`
  std::vector<pep::TagSet> wheels = {};          ///< the tags of `--with`, which limit the Pythons
  std::vector<std::string> declared = {};  ///< sonames or globs of libraries that others provide
};

/// The libraries of another wheel to load beside this one, by soname and file name.
std::vector<CompanionLibrary> companion_libraries(const inspect::WheelFacts& other);

/// Pure. A wheel without binaries loads everywhere and uses nothing of torch.
TorchVerdicts evaluate(const inspect::WheelFacts& facts, const exports::Table& table,
                       const Companions& companions = {});

}  // namespace pinwheel::compat
