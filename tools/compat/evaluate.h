#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compat/run_result.h"
#include "exports/table.h"
#include "inspect/library_lookup.h"
#include "inspect/symbol_resolution.h"
#include "inspect/wheel_facts.h"
#include "pep/tag.h"
#include "pep/version.h"

namespace pinwheel::compat {

/// The releases of torch in a table that export a symbol: public versions for the wheel's
/// architecture.
struct SymbolHistory {
  std::optional<pep::Version> first = std::nullopt;  ///< nullopt: no known release has it
  std::optional<pep::Version> last = std::nullopt;
  std::optional<pep::Version> gone =
      std::nullopt;           ///< the release after `last`; nullopt: still present
  bool since_oldest = false;  ///< `first` is the oldest known release
};

/// "since 2.10.0", "until 2.12.0, gone in 2.13.0", "in no known release of torch".
std::string to_string(const SymbolHistory& history);

/// A library of another wheel that the user declares as loaded too.
struct CompanionLibrary {
  std::string soname;
  std::vector<std::string> needed = {};
  std::vector<std::string> exports = {};
};

/// Torch's builds for one architecture, as loaded libraries for a wheel. Caches lookups. The
/// table must outlive it.
class TorchTable {
 public:
  TorchTable(const exports::Table& table, std::string arch)
      : table_(table), arch_(std::move(arch)) {}

  /// Indexes of the table's builds for the architecture, oldest first.
  std::vector<uint32_t> builds() const;
  const exports::Build& build(uint32_t index) const { return table_.builds()[index]; }
  /// The Python tags for which a build has libtorch_python.so: "cp311".
  std::vector<std::string> pythons(uint32_t build) const;
  /// A build's libraries, with the Python-specific ones for `python`, and `others`. Both must
  /// outlive the result.
  inspect::LoadedLibraries loaded_libraries(uint32_t build, const std::string& python,
                                            const std::vector<CompanionLibrary>& others);
  SymbolHistory history(const std::string& symbol);

 private:
  std::span<const uint32_t> exporters(const std::string& symbol);
  const std::vector<pep::Version>& releases();

  const exports::Table& table_;
  std::string arch_;
  std::unordered_map<std::string, std::span<const uint32_t>> found_;
  std::vector<pep::Version> releases_;  ///< public versions, ascending
};

/// Whether it is the build on PyPI: a version without a local label.
bool is_plain(const exports::Build& build);
/// The release of a build: its version without the label. The table's versions are well-formed.
pep::Version release_of(const exports::Build& build);

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
  /// Members that are copies of torch's libraries: together with torch's own, they abort the import
  /// on every build.
  std::vector<std::string> copies = {};
  /// Libraries of the wheel that a module does not find: its import fails on every build.
  std::vector<inspect::UnreachableLibrary> unreachable = {};
  /// What the wheel needs of musl ("`a.so` needs `libc.so` of musl"): every build of torch is for
  /// glibc, so no process loads both.
  std::vector<std::string> of_musl = {};
};

/// Libraries and wheels that are loaded in addition to the wheel and torch.
struct Companions {
  std::vector<CompanionLibrary> libraries = {};  ///< of `--with`
  std::vector<pep::TagSet> wheels = {};          ///< the tags of `--with`, which limit the Pythons
  std::vector<std::string> declared = {};  ///< sonames or globs of libraries that others provide
};

/// The libraries of another wheel that are loaded together with this one, by soname and file name.
std::vector<CompanionLibrary> companion_libraries(const inspect::WheelFacts& other);

/// Pure. A wheel without binaries loads everywhere and uses no part of torch.
TorchVerdicts evaluate(const inspect::WheelFacts& facts, const exports::Table& table,
                       const Companions& companions = {});

}  // namespace pinwheel::compat
