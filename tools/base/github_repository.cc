#include "base/github_repository.h"

namespace pinwheel {

bool is_owner_and_name(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == std::string_view::npos;
}

}  // namespace pinwheel
