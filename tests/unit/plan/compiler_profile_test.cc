#include "plan/compiler_profile.h"

#include <random>

#include "unit/catch.h"

using namespace pinwheel::plan;
using namespace std::chrono_literals;

TEST_CASE("the phases in the table of nvcc belong to their objects") {
  // Of nvcc 13.0, shortened; the rows of two compilers are mixed.
  const std::vector<CompilationProfile> profiles = nvcc_profiles(
      "source file name , phase name , phase input files , phase output file , arch , tool, metric "
      ", unit\n"
      "k.cu , gcc (preprocessing 4) , k.cu  , /tmp/5_k.cpp4.ii ,  , nvcc , 62.2430 , ms\n"
      "a,b.cu , cicc ,  /tmp/1.ii  , /tmp/1.ptx , compute_80 , nvcc , 7.0000 , ms\n"
      "k.cu , cicc ,  /tmp/8_k.ii  , /tmp/7_k.ptx , compute_80 , nvcc , 176.0670 , ms\n"
      "k.cu , ptxas , /tmp/7_k.ptx  , /tmp/9_k.cubin , sm_80 , nvcc , 14.3130 , ms\n"
      "k.cu , gcc (compiling) ,   , k.o , compute_90 , nvcc , 160.9820 , ms\n"
      " , nvcc (driver) ,  , k.o ,  , nvcc , 0.7760 , ms\n"
      " , nvcc (driver) ,  , unknown.o ,  , nvcc , 0.7760 , ms\n");
  REQUIRE(profiles.size() == 1);
  CHECK(profiles[0].output == "k.o");
  CHECK(profiles[0].parts == std::vector<CommandPart>{{"cicc (compute_80)", 176ms},
                                                      {"gcc (compiling) (compute_90)", 161ms},
                                                      {"gcc (preprocessing 4)", 62ms},
                                                      {"ptxas (sm_80)", 14ms}});
}

TEST_CASE("a table of many open sources and long rows is read in linear time") {
  constexpr int kSources = 20'000;
  std::string table;
  for (int i = 0; i < kSources; ++i) {
    const std::string name = std::to_string(i);
    table += name + ".cu , cicc , , " + name + ".ptx , , nvcc , 3.0 , ms\n";
    table += name + ".cu , ptxas , , " + name + ".o , , nvcc , 5.0 , ms\n";
  }
  // No driver's row: its output is not the last one of its source.
  table += " , nvcc (driver) , , 7.ptx , , nvcc , 0.1 , ms\n";
  table += "x.cu , cicc" + std::string(1'000'000, ',') + " x.o , , nvcc , 5.0 , ms\n";
  table += " , nvcc (driver) , , x.o , , nvcc , 0.1 , ms\n";
  for (int i = kSources; i-- > 0;) {
    table += " , nvcc (driver) , , " + std::to_string(i) + ".o , , nvcc , 0.1 , ms\n";
  }
  const std::vector<CompilationProfile> profiles = nvcc_profiles(table);
  REQUIRE(profiles.size() == kSources);
  CHECK(profiles[0].output == std::to_string(kSources - 1) + ".o");
  CHECK(profiles[0].parts == std::vector<CommandPart>{{"ptxas", 5ms}, {"cicc", 3ms}});
}

TEST_CASE("the totals in a time trace of clang") {
  CHECK(clang_phases(
            R"({"traceEvents":[{"name":"Frontend","dur":887},)"
            R"({"name":"Total Frontend","dur":972400},{"name":"Total Backend","dur":1811000},)"
            R"({"ph":"M"}],"beginningOfTime":1})") ==
        std::vector<CommandPart>{{"Backend", 1811ms}, {"Frontend", 972ms}});
  for (const char* const text :
       {"", "[]", "{}", R"({"traceEvents":7})", R"({"traceEvents":[{"name":7}]})",
        R"({"traceEvents":[{"name":"Total x","dur":"y"}]})",
        R"({"traceEvents":[{"name":"Total x","dur":-1},{"name":"Total y","dur":1e300}]})"}) {
    CAPTURE(text);
    CHECK(clang_phases(text).empty());
  }
}

TEST_CASE("any table of phases is read, and lists a bounded number of them") {
  std::string many;
  for (int i = 0; i < 99; ++i) {
    many += "k.cu , p" + std::to_string(i) + " , , k.o , , nvcc , 5.0 , ms\n";
  }
  many += " , nvcc (driver) , , k.o , , nvcc , 0.1 , ms\n";
  CHECK(nvcc_profiles(many).at(0).parts.size() == kMostCommandParts);
  std::mt19937 random(3);
  constexpr std::string_view kPieces[] = {",",   "\n",  " ms",   "nvcc (driver)",
                                          "k.o", "nan", "1e400", "-5"};
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += kPieces[random() % std::size(kPieces)];
    for (const CompilationProfile& each : nvcc_profiles(text)) {
      for (const CommandPart& part : each.parts) CHECK(part.spent >= 0ms);
    }
  }
}
