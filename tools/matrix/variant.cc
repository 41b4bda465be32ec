#include "matrix/variant.h"

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

}  // namespace pinwheel::matrix
