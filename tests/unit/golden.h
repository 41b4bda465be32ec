#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "unit/source_tree_path.h"

namespace pinwheel::testing {

inline std::string source_path(const std::string& relative) {
  return in_source_tree(relative).string();
}

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The text that a committed file should have. With PINWHEEL_UPDATE_GOLDEN set the file is written
/// from `actual` first, and the difference is left to be reviewed.
inline std::string golden(const std::string& relative, const std::string& actual) {
  const std::string path = source_path(relative);
  if (std::getenv("PINWHEEL_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
  }
  return read_text(path);
}

/// The .yaml files directly in a directory of the source tree, sorted.
inline std::vector<std::string> yaml_files(const std::string& relative) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path(relative))) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(relative + "/" + entry.path().filename().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pinwheel::testing
