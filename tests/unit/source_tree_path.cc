#include "unit/source_tree_path.h"

namespace pinwheel {

std::filesystem::path in_source_tree(std::string_view relative) {
  return std::filesystem::path(PINWHEEL_SOURCE_DIR) / relative;
}

}  // namespace pinwheel
