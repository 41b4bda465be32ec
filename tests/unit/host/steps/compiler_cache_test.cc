#include "host/steps/compiler_cache.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::host;
using matrix::CompilerCache;

namespace {

using Variables = std::map<std::string, std::string>;

Variables variables_with(CompilerCache cache, const std::string& directory,
                         Variables variables = {}) {
  set_compiler_cache(cache, {directory}, variables);
  return variables;
}

constexpr const char* kPrograms = "/build/compiler-cache";

}  // namespace

TEST_CASE("a build without a compiler cache gets no variables of one") {
  CHECK(variables_with(CompilerCache::none, kPrograms).empty());
}

TEST_CASE("both caches launch the compilers of CMake and nvcc for torch") {
  for (const CompilerCache cache : {CompilerCache::ccache, CompilerCache::sccache}) {
    const Variables set = variables_with(cache, kPrograms);
    for (const char* const language : {"C", "CXX", "CUDA", "HIP"}) {
      CHECK(set.at(std::string("CMAKE_") + language + "_COMPILER_LAUNCHER") ==
            "/build/compiler-cache/launcher");
    }
    CHECK(set.at("PYTORCH_NVCC") == "/build/compiler-cache/nvcc");
    // What configure scripts find and record stays.
    CHECK_FALSE((set.contains("CC") || set.contains("CXX") || set.contains("PATH")));
  }
}

TEST_CASE("ccache compares all headers and rewrites no path, whatever the user's settings are") {
  const Variables set = variables_with(CompilerCache::ccache, kPrograms,
                                       {{"CCACHE_BASEDIR", "/"},
                                        {"CCACHE_NODEPEND", "1"},
                                        {"CCACHE_NODIRECT", "1"},
                                        {"CCACHE_HARDLINK", "1"},
                                        {"CCACHE_COMPILER", "/usr/bin/g++"},
                                        {"CCACHE_IGNOREHEADERS", "/include"},
                                        {"CCACHE_DIR", "/cache"}});
  for (const char* const on :
       {"CCACHE_DEPEND", "CCACHE_DIRECT", "CCACHE_HASHDIR", "CCACHE_NOHARDLINK"}) {
    CHECK(set.at(on) == "1");
  }
  for (const char* const empty : {"CCACHE_BASEDIR", "CCACHE_SLOPPINESS", "CCACHE_IGNOREHEADERS"}) {
    CHECK(set.at(empty).empty());
  }
  for (const char* const none :
       {"CCACHE_NODEPEND", "CCACHE_NODIRECT", "CCACHE_HARDLINK", "CCACHE_COMPILER"}) {
    CHECK_FALSE(set.contains(none));
  }
  CHECK(set.at("CCACHE_DIR") == "/cache");
}

TEST_CASE("a build whose path varies has it as the base directory of ccache") {
  Variables set;
  set_compiler_cache(CompilerCache::ccache, {kPrograms, "/build"}, set);
  CHECK(set.at("CCACHE_BASEDIR") == "/build");
}

TEST_CASE("sccache has a server of the build's own, unless the user names one") {
  const auto set = [](const std::string& directory, Variables variables) {
    set_compiler_cache(CompilerCache::sccache, {directory, "/build"}, variables);
    return variables;
  };
  CHECK(set(kPrograms, {}).at("SCCACHE_SERVER_UDS") == "/build/compiler-cache/server");
  CHECK_FALSE(set(kPrograms, {{"SCCACHE_SERVER_PORT", "4226"}}).contains("SCCACHE_SERVER_UDS"));
  CHECK(set(kPrograms, {{"SCCACHE_SERVER_UDS", "/s"}}).at("SCCACHE_SERVER_UDS") == "/s");
  CHECK_FALSE(set(kPrograms, {{"SCCACHE_BASEDIRS", "/build"}}).contains("SCCACHE_BASEDIRS"));
  // The kernel limits the path of a socket.
  CHECK_FALSE(set("/" + std::string(100, 'a'), {}).contains("SCCACHE_SERVER_UDS"));
}

TEST_CASE("a build with a fixed path uses no other server, which sees other files there") {
  const Variables set =
      variables_with(CompilerCache::sccache, kPrograms,
                     {{"SCCACHE_SERVER_PORT", "4226"}, {"SCCACHE_SERVER_UDS", "/s"}});
  CHECK_FALSE(set.contains("SCCACHE_SERVER_PORT"));
  CHECK(set.at("SCCACHE_SERVER_UDS") == "/build/compiler-cache/server");
}
