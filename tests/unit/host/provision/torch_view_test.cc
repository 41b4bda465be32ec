#include "host/provision/torch_view.h"

#include <fstream>

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using namespace pinwheel::host;

namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void install(const fs::path& site, const std::string& name, const std::string& requirements) {
  const fs::path info = site / (name + "-1.0.dist-info");
  write(site / name / "__init__.py", "");
  write(info / "METADATA",
        "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n" + requirements);
  write(info / "RECORD", name + "/__init__.py,,\n../../../bin/" + name + ",,\n__pycache__/" + name +
                             ".pyc,,\n" + name + "-1.0.dist-info/METADATA,,\n");
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& each : fs::directory_iterator(directory)) {
    names.push_back(each.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

const env::Interpreter kPython{.version = "3.11.7", .platform = "linux-x86_64"};

}  // namespace

TEST_CASE("of an existing environment, a trial sees torch and what torch requires") {
  const Scratch scratch;
  const fs::path site = scratch.path() / "site-packages";
  install(site, "torch",
          "Requires-Dist: sympy>=1.13\nRequires-Dist: setuptools; python_version >= '3.12'\n"
          "Requires-Dist: optree; extra == 'optree'\n");
  install(site, "sympy", "Requires-Dist: mpmath\nRequires-Dist: torch\n");
  install(site, "mpmath", "");
  install(site, "setuptools", "");
  install(site, "optree", "");
  install(site, "numpy", "");
  const Result<fs::path> view = link_torch(site, kPython, scratch.path() / "view");
  REQUIRE(view);
  CHECK(names_in(*view) == std::vector<std::string>{"mpmath", "mpmath-1.0.dist-info", "sympy",
                                                    "sympy-1.0.dist-info", "torch",
                                                    "torch-1.0.dist-info"});
  CHECK(fs::exists(*view / "torch" / "__init__.py"));
}

TEST_CASE("an environment whose torch has no metadata is used as it is") {
  const Scratch scratch;
  const fs::path site = scratch.path() / "site-packages";
  write(site / "torch" / "__init__.py", "");
  const Result<fs::path> view = link_torch(site, kPython, scratch.path() / "view");
  REQUIRE(view);
  CHECK(*view == site);
  CHECK_FALSE(fs::exists(scratch.path() / "view"));
}
