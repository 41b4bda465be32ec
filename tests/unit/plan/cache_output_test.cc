#include "plan/cache_output.h"

#include "plan/cmake_snippet.h"
#include "unit/catch.h"

using namespace pinwheel::plan;
using namespace std::chrono_literals;

TEST_CASE("the statistics of sccache") {
  CHECK(sccache_hits(R"({"stats": {"compile_requests": 9, "cache_hits": {"counts": {"C/C++": 2,
        "CUBIN": 1}, "adv_counts": {"c": 7}}, "cache_misses": {"counts": {"PTX": 4}}}})") ==
        CacheHits{"sccache", 3, 4});
  for (const char* const none : {"", "no JSON", "[]", R"({"stats": []})",
                                 R"({"stats": {"cache_hits": {"counts": {"C": -1}}}})"}) {
    CHECK(sccache_hits(none) == CacheHits{"sccache"});
  }
}

TEST_CASE("the statistics log of ccache") {
  CHECK(ccache_hits("# a.c\ndirect_cache_hit\nlocal_storage_hit\n# b.c\ndirect_cache_miss\n"
                    "preprocessed_cache_hit\n# c.c\ncache_miss\ndirect_cache_miss\n# d\n"
                    "called_for_link\n") == CacheHits{"ccache", 2, 1});
  CHECK(ccache_hits("") == CacheHits{"ccache"});
}

TEST_CASE("what an installation received, by the output of pip") {
  const PipTraffic traffic = pip_traffic(
      "Collecting a\n"
      "  Downloading a-1.0-py3-none-any.whl.metadata (1.5 kB)\n"
      "Downloading a-1.0-py3-none-any.whl (12.3 MB)\n"
      "Progress 0 of 12345678\rProgress 700 of 12345678\nProgress 12345678 of 12345678\n"
      "Using cached b-2.0-cp311-cp311-manylinux_2_17_x86_64.whl (3 MB)\n"
      "  Using cached c-1.whl.metadata (3 kB)\n"
      "Downloading d-1.tar.gz (900 bytes)\n");
  CHECK(traffic.fetched == 1500 + 12'345'678 + 900);
  CHECK(traffic.cache == CacheHits{"pip", 1, 2});
  CHECK(pip_traffic("Downloading (\nProgress x of\nProgress 99999999999999999999 of 1\n"
                    "Progress 18446744073709551615 of 1\n")
            .fetched == 0);
}

TEST_CASE("the commands in snippets of cmake's instrumentation") {
  const std::string compile =
      R"({"version":1,"role":"compile","language":"CUDA","outputs":["a.cu.o"],)"
      R"("timeStart":1737053448177,"duration":31})";
  CHECK(snippet_command(compile) ==
        TracedCommand{"a.cu.o",
                      CommandKind::device_compile,
                      {TraceTime(1737053448177ms), TraceTime(1737053448208ms)}});
  CHECK(snippet_command(R"({"version":{"major":1,"minor":0},"role":"custom","outputs":["gen.h"],)"
                        R"("timeStart":5,"duration":1})")
            ->kind == CommandKind::other);
  const std::string link =
      R"({"version":1,"role":"link","outputs":["libx.a"],"timeStart":5,"duration":1})";
  CHECK(snippet_command(link)->kind == CommandKind::archive);
  for (
      const char* const text :
      {"", "{}", "[1]", R"({"version":2,"role":"link","outputs":["a"],"timeStart":5,"duration":1})",
       R"({"version":{"major":2},"role":"link","outputs":["a"],"timeStart":5,"duration":1})",
       R"({"version":1,"role":"test","outputs":["a"],"timeStart":5,"duration":1})",
       R"({"version":1,"role":"link","outputs":[],"timeStart":5,"duration":1})",
       R"({"version":1,"role":"link","outputs":["a"],"timeStart":-5,"duration":1})",
       R"({"version":1,"role":"link","outputs":["a"],"timeStart":5,"duration":9e18})",
       R"({"version":1,"role":"link","outputs":["a"],"timeStart":1e300,"duration":1})",
       R"({"version":1,"role":"link","outputs":["a"],"timeStart":18446744073709551615,"duration":1})",
       R"({"version":1e300,"role":"link","outputs":["a"],"timeStart":5,"duration":1})",
       R"({"version":1,"role":"link","outputs":[7],"timeStart":5,"duration":1})"}) {
    CAPTURE(text);
    CHECK_FALSE(snippet_command(text));
  }
}
