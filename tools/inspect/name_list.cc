#include "inspect/name_list.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::inspect {

std::string first_names(const std::vector<std::string>& names, size_t shown) {
  if (names.size() <= shown) return join(names, ", ");
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(shown));
  return join(first, ", ") + " and " + std::to_string(names.size() - shown) + " more";
}

}  // namespace pinwheel::inspect
