#pragma once
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "exports/table.h"
#include "inspect/symbol_resolution.h"
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
  /// Whether any build for the architecture exports it.
  bool knows(const std::string& symbol) { return history(symbol).first.has_value(); }

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

}  // namespace pinwheel::compat
