#include "project/meson_build.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("dependencies, version and extension modules") {
  const MesonBuild build = parse_meson_build(
      "project(\n  'demo', 'cpp',\n  version: '1.2',\n  meson_version: '>= 1.2',\n)\n"
      "py = import('python').find_installation() # dependency('no')\n"
      "z = dependency('zlib', required: false)\ndeclare_dependency(sources: [])\n"
      "py.extension_module('a', 'a.c', limited_api: '3.10')\n");
  CHECK(build.version == "1.2");
  CHECK(build.dependencies == std::vector<std::string>{"zlib"});
  CHECK(build.extension);
  CHECK(build.limited_api == "3.10");
  CHECK(parse_meson_build("project('a', version: run_command('x'), meson_version: '>= 1')")
            .version.empty());
  CHECK(merged(parse_meson_build("dependency('a')"), build).version == "1.2");
}

TEST_CASE("libraries that the compiler is asked for") {
  CHECK(parse_meson_build("cc.find_library('zfp', required: true)\nx = cc.find_library( 'm' )\n")
            .libraries == std::vector<std::string>{"zfp", "m"});
}

}  // namespace
}  // namespace pinwheel::project
