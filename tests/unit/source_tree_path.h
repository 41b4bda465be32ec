#pragma once
#include <filesystem>
#include <string_view>

namespace pinwheel {

/// A file of the source tree by its path in it, wherever the tests are started. Only the source of
/// this function is compiled with the tree's path: what a compiler cache has of the others fits
/// every clone.
std::filesystem::path in_source_tree(std::string_view relative);

}  // namespace pinwheel
