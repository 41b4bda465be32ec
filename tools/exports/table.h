#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "exports/parts.h"
#include "exports/snapshot.h"

namespace pinwheel::exports {

/// Which builds of torch export which symbols. Names with equal hashes share an entry; for a
/// million names the probability of a collision is one in thirty million.
class Table {
 public:
  Table() = default;
  /// The parts must be consistent.
  explicit Table(Parts parts) : parts_(canonical(std::move(parts))) {}
  /// A table of a single build. Duplicate libraries are merged.
  static Table of(const Snapshot& snapshot);

  /// Ascending by version (PEP 440), then by architecture.
  const std::vector<Build>& builds() const { return parts_.builds; }
  /// By soname, Python tag, architecture and version.
  const std::vector<Record>& libraries() const { return parts_.records; }
  /// The libraries that export the symbol, as ascending indexes into `libraries()`.
  std::span<const uint32_t> exporters(std::string_view mangled) const {
    return exporters_of(symbol_hash(mangled));
  }
  std::span<const uint32_t> exporters_of(uint64_t hash) const;
  const Parts& parts() const { return parts_; }

  bool operator==(const Table&) const = default;

 private:
  Parts parts_;
};

/// The libraries of both tables; a library in both (same build, soname and Python) is taken from
/// `over`.
Table merge(const Table& base, const Table& over);
inline Table merge(const Table& base, const Snapshot& snapshot) {
  return merge(base, Table::of(snapshot));
}

}  // namespace pinwheel::exports
