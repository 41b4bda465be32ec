#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"

namespace pinwheel::matrix {

/// One combination of axis values.
struct Variant {
  std::string id;                                         ///< "cp312-cu130-torch2.13-x86_64"
  std::vector<std::pair<std::string, std::string>> axes;  ///< in the order of the matrix's axes
  std::vector<std::pair<std::string, std::string>> attributes;  ///< other keys that `include` set
  /// The label of its compute if a line of `computes` determines it; else empty.
  std::string declared_label = {};
  Status status = Status::supported;
  std::vector<std::string> channels;  ///< the channels it may run in, in matrix order
  std::vector<size_t> shaped_by;      ///< indexes of the rules that matched it, in order

  /// The value of an axis or attribute; "" when it has none.
  const std::string& get(std::string_view name) const;
};

/// A build unit: variants that share one binary (docs/matrix.md, "abi"). Computed from the whole
/// matrix, never from a selection.
struct AbiClass {
  std::string
      id;  ///< "cu13-x86_64": the axes that remain after the reduction; "any" when none remains
  std::vector<std::string> members;  ///< ids of the variants it serves, in matrix order
  std::string representative;        ///< id of the member whose environment builds it
  /// The name of a family's package that it builds; empty for the matrix's `package`.
  std::string package = {};
  /// Of a family: member id -> ids of the classes whose wheels it requires, directly or indirectly;
  /// a class comes after those that it requires.
  std::map<std::string, std::vector<std::string>> siblings = {};
};

/// The variants of a matrix by id, for many lookups: fastest for ids in the order of the matrix. It
/// refers to the variants, which must outlive it unchanged. Not for several threads at once.
class VariantIndex {
 public:
  explicit VariantIndex(const std::vector<Variant>& variants) : variants_(&variants) {}
  explicit VariantIndex(std::vector<Variant>&& variants) = delete;

  /// The variant with an id; `internal` if there is none.
  Result<const Variant*> find(const std::string& id) const;
  bool contains(const std::string& id) const { return lookup(id) != nullptr; }

 private:
  const Variant* lookup(const std::string& id) const;

  const std::vector<Variant>* variants_;
  mutable size_t last_ = 0;  ///< the index of the one found last
  /// Empty until an id does not follow the one before.
  mutable std::unordered_map<std::string_view, size_t> by_id_ = {};
};

}  // namespace pinwheel::matrix
