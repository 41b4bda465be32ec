#include "project/cibuildwheel.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

using Texts = std::vector<std::string>;
using Entries = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("options of Linux replace those above, other platforms are only named") {
  const auto read = parse_cibuildwheel(
      "[tool.cibuildwheel]\nbuild = 'cp310-* cp311-*'\ntest-command = ['a', 'b']\nbuild-verbosity "
      "= 1\n"
      "environment = {A = '1'}\nconfig-settings.setup-args = ['-Dx=1', '-Dy=2']\n"
      "[tool.cibuildwheel.linux]\nenvironment = {B = '2'}\n[tool.cibuildwheel.macos]\narchs = 'x'\n"
      "[[tool.cibuildwheel.overrides]]\nselect = '*-musl* cp310-*'\nbefore-all = 'x'\n"
      "inherit.environment = 'append'\n",
      "pyproject.toml");
  REQUIRE(read);
  CHECK(words_of_option(*read, "build") == Texts{"cp310-*", "cp311-*"});
  CHECK(read->options.at("test-command").items == Texts{"a", "b"});
  CHECK(read->options.at("build-verbosity").items == Texts{"1"});
  CHECK(read->options.at("environment").entries == Entries{{"B", "2"}});
  CHECK(read->options.at("config-settings").entries ==
        Entries{{"setup-args", "-Dx=1"}, {"setup-args", "-Dy=2"}});
  CHECK(read->other_platforms == Texts{"macos"});
  CHECK(read->overrides == std::vector<CibwOverride>{{{"*-musl*", "cp310-*"}, {"before-all"}}});
  CHECK(words_of_option(*read, "skip").empty());
  CHECK(*parse_cibuildwheel("", "pyproject.toml") == Cibuildwheel{});
}

TEST_CASE("tables that are written as strings are read like tables") {
  const auto read = parse_cibuildwheel(
      "[tool.cibuildwheel]\nenvironment = 'A=1 B=\"two words\" C=x\"y z\" D=$(nproc --all) E='\n"
      "config-settings = '--global-option=x key=a=b plain'\ntest-environment = ['A=1', 'B=2']\n",
      "pyproject.toml");
  REQUIRE(read);
  CHECK(read->options.at("environment").entries ==
        Entries{{"A", "1"}, {"B", "two words"}, {"C", "xy z"}, {"D", "$(nproc --all)"}, {"E", ""}});
  CHECK(read->options.at("config-settings").entries ==
        Entries{{"--global-option", "x"}, {"key", "a=b"}, {"plain", ""}});
  CHECK(read->options.at("test-environment").entries == Entries{{"A", "1"}, {"B", "2"}});
}

TEST_CASE("variables win over the file; those of other platforms do not count") {
  const Cibuildwheel config = with_variables({},
                                             {{"CIBW_TEST_COMMAND", " pytest "},
                                              {"CIBW_BUILD_LINUX", "cp312-*"},
                                              {"CIBW_ARCHS_MACOS", "arm64"},
                                              {"CIBW_MANYLINUX_X86_64_IMAGE", "manylinux_2_28"},
                                              {"CIBW_ENVIRONMENT", "A=1 B='two words'"},
                                              {"OTHER", "x"}},
                                             "w.yml");
  CHECK(config.options.size() == 4);
  CHECK(config.options.at("test-command") == CibwValue{{"pytest"}, {}, "w.yml"});
  CHECK(words_of_option(config, "build") == Texts{"cp312-*"});
  CHECK(config.options.contains("manylinux-x86_64-image"));
  CHECK(config.options.at("environment").entries == Entries{{"A", "1"}, {"B", "two words"}});
}

}  // namespace
}  // namespace pinwheel::project
