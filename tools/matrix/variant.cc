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

const Variant* VariantIndex::lookup(const std::string& id) const {
  const std::vector<Variant>& variants = *variants_;
  // In matrix order, most ids come once.
  for (const size_t i : {last_ + 1, last_}) {
    if (i >= variants.size() || variants[i].id != id) continue;
    last_ = i;
    return &variants[i];
  }
  if (by_id_.empty()) {
    by_id_.reserve(variants.size());
    for (size_t i = 0; i < variants.size(); ++i) by_id_.emplace(variants[i].id, i);
  }
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  last_ = found->second;
  return &variants[last_];
}

Result<const Variant*> VariantIndex::find(const std::string& id) const {
  if (const Variant* const found = lookup(id)) return found;
  return fail(ErrorKind::internal, fmt::format("variant {} is not in the matrix", quoted(id)));
}

}  // namespace pinwheel::matrix
