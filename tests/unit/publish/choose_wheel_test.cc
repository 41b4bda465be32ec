#include "publish/choose_wheel.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::string chosen(const std::vector<std::string>& names, const std::string& pin,
                   const std::string& arch = "x86_64") {
  std::vector<publish::IndexFile> files;
  files.reserve(names.size());
  for (const std::string& name : names) files.push_back({.filename = name, .url = name});
  const auto found =
      publish::choose_wheel(files, "Demo", pep::parse_specifiers(pin)->front(), arch);
  return found ? found->filename : found.error().message + ": " + found.error().hint;
}

}  // namespace

TEST_CASE("the wheel of a pinned version is the one for the newest Python on this architecture") {
  const std::vector<std::string> names = {"demo-1.0-cp39-cp39-manylinux_2_28_x86_64.whl",
                                          "demo-1.0-cp313-cp313-manylinux_2_28_x86_64.whl",
                                          "demo-1.0-cp313-cp313-musllinux_1_2_x86_64.whl",
                                          "demo-1.0-cp313-cp313t-manylinux_2_28_x86_64.whl",
                                          "demo-1.0-cp313-cp313-win_amd64.whl",
                                          "demo-1.0-cp314-cp314-manylinux_2_28_aarch64.whl",
                                          "demo-2.0-cp314-cp314-manylinux_2_28_x86_64.whl",
                                          "other-1.0-cp314-cp314-manylinux_2_28_x86_64.whl",
                                          "demo-1.0.tar.gz"};
  CHECK(chosen(names, "==1.0") == "demo-1.0-cp313-cp313-manylinux_2_28_x86_64.whl");
  CHECK(chosen(names, "==1.0.0") == "demo-1.0-cp313-cp313-manylinux_2_28_x86_64.whl");
  CHECK(chosen(names, "==1.0", "aarch64") == "demo-1.0-cp314-cp314-manylinux_2_28_aarch64.whl");
}

TEST_CASE("of wheels for one Python the highest build tag counts, and musl is the last choice") {
  CHECK(chosen({"demo-1.0-2-py3-none-any.whl", "demo-1.0-10-py3-none-any.whl"}, "==1.0") ==
        "demo-1.0-10-py3-none-any.whl");
  CHECK(chosen({"demo-1.0-cp313-cp313-musllinux_1_2_x86_64.whl"}, "==1.0") ==
        "demo-1.0-cp313-cp313-musllinux_1_2_x86_64.whl");
  CHECK(chosen({"demo-1.0+cu130-py3-none-any.whl"}, "==1.0") == "demo-1.0+cu130-py3-none-any.whl");
}

TEST_CASE("a version without a wheel for the architecture says what there is") {
  CHECK(chosen({"demo-1.0-py3-none-win_amd64.whl"}, "==1.0") ==
        "`Demo` 1.0 has no wheel for Linux on x86_64: the index has "
        "`demo-1.0-py3-none-win_amd64.whl`");
  CHECK(chosen({"demo-2.0-py3-none-any.whl"}, "==1.0") ==
        "`Demo` 1.0 has no wheel for Linux on x86_64: the index has no wheel of that version");
}
