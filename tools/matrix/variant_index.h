#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// The variants of a matrix by id, for a caller that looks up many. It refers to them: they outlive
/// it.
class VariantIndex {
 public:
  explicit VariantIndex(const std::vector<Variant>& variants);
  explicit VariantIndex(std::vector<Variant>&& variants) = delete;

  /// The variant with an id; `internal` if there is none.
  Result<const Variant*> find(const std::string& id) const;

 private:
  std::unordered_map<std::string_view, const Variant*> by_id_;
};

}  // namespace pinwheel::matrix
