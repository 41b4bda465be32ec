#include "host/wheels/importable_names.h"

#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::host {
namespace {

/// A wheel with these files and its metadata.
std::filesystem::path write_wheel(const Scratch& scratch, const std::vector<std::string>& files) {
  wheel::Contents members;
  for (const std::string& file : files) members.emplace_back(file, "");
  for (const auto& [name, contents] : wheel::built_members()) {
    if (name.starts_with("demo_kit-1.0.dist-info/")) members.emplace_back(name, contents);
  }
  return scratch.write(wheel::kBuiltName, wheel::make_zip(wheel::with_record(
                                              members, "demo_kit-1.0.dist-info/RECORD")));
}

TEST_CASE("top-level packages, modules and extension modules are importable") {
  const Scratch scratch;
  const auto names =
      importable_names(write_wheel(scratch, {"kit/__init__.py", "kit/inner/__init__.py", "plain.py",
                                             "fast.abi3.so", "data/readme.txt"}));
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"fast", "kit", "plain"});
}

TEST_CASE("private modules and files that cannot be imported by name are omitted") {
  const Scratch scratch;
  const auto names =
      importable_names(write_wheel(scratch, {"_C.so", "run-it.py", "2fast.py", "kit.py"}));
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"kit"});
}

TEST_CASE("a wheel that installs nothing importable fails its check") {
  const Scratch scratch;
  const auto names = importable_names(write_wheel(scratch, {"_C.so", "data/readme.txt"}));
  REQUIRE_FALSE(names);
  CHECK(names.error().kind == ErrorKind::check);
}

}  // namespace
}  // namespace pinwheel::host
