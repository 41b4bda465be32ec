#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/text.h"
#include "unit/catch.h"
#include "unit/command_output.h"

namespace pinwheel::wheel {

/// A directory of its own for one test, removed at its end.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "pinwheel-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

/// The output of a Python program, as raw bytes; it must succeed.
inline std::string python(const std::string& program, const std::string& argument = {}) {
  return output_of("python3 -c " + shell_quote(program) + " " + shell_quote(argument));
}

}  // namespace pinwheel::wheel
