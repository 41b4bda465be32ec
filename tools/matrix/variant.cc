#include "matrix/variant.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::matrix {

const std::string& Variant::get(std::string_view name) const {
  static const std::string kNone;
  for (const auto& [axis, value] : axes) {
    if (axis == name) return value;
  }
  for (const auto& [attribute, value] : attributes) {
    if (attribute == name) return value;
  }
  return kNone;
}

VariantIndex::VariantIndex(const std::vector<Variant>& variants) {
  by_id_.reserve(variants.size());
  for (const Variant& variant : variants) by_id_.emplace(variant.id, &variant);
}

Result<const Variant*> VariantIndex::find(const std::string& id) const {
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) return found->second;
  return fail(ErrorKind::internal, fmt::format("variant {} is not in the matrix", quoted(id)));
}

}  // namespace pinwheel::matrix
