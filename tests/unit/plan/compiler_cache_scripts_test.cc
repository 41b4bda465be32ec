#include "plan/compiler_cache_scripts.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;
using matrix::CompilerCache;

TEST_CASE("the programs of a compiler cache name it and have no open places") {
  for (const CompilerCache cache : {CompilerCache::ccache, CompilerCache::sccache}) {
    const std::string name(program_of(cache));
    for (const std::string& text :
         {prepare_script(cache), launcher_script(cache), nvcc_script(), counted_script()}) {
      CHECK(text.starts_with("#!/bin/sh\n"));
      CHECK(text.find('@' + std::string("CACHE")) == std::string::npos);
      CHECK(text.find("@OLDEST@") == std::string::npos);
      CHECK(text.find("@SERVER@") == std::string::npos);
    }
    CHECK(launcher_script(cache).find("\n" + name + " \"$@\"") != std::string::npos);
    CHECK(prepare_script(cache).find("command -v " + name) != std::string::npos);
  }
  CHECK(program_of(CompilerCache::none).empty());
}
