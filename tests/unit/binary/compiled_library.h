#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "unit/catch.h"
#include "unit/command_output.h"

namespace pinwheel::binary {

/// A library compiled from C, in a directory that goes with the object.
class CompiledLibrary {
 public:
  CompiledLibrary(const std::string& source, const std::string& flags) {
    std::string name = (std::filesystem::temp_directory_path() / "pinwheel-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    directory_ = name;
    std::ofstream(directory_ / "x.c") << source;
    output_of("cc -shared -fPIC -o " + file().string() + " " + (directory_ / "x.c").string() + " " +
              flags);
  }
  ~CompiledLibrary() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  CompiledLibrary(const CompiledLibrary&) = delete;
  CompiledLibrary& operator=(const CompiledLibrary&) = delete;

  std::filesystem::path file() const { return directory_ / "libx.so"; }
  std::string bytes() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path directory_;
};

}  // namespace pinwheel::binary
