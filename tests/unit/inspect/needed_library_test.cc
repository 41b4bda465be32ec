#include "inspect/needed_library.h"

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

Texts warned(const std::string& pattern, const std::set<std::string>& needed) {
  Texts out;
  for (const Error& warning : unmatched_patterns("--external", {pattern}, needed)) {
    out.push_back(warning.message + ": " + warning.hint);
  }
  return out;
}

TEST_CASE("a pattern that matches a needed library is silent") {
  CHECK(warned("libjpeg.so.*", {"libc.so.6", "libjpeg.so.62"}).empty());
  CHECK(warned("lib{jpeg,png}*", {"libc.so.6", "libjpeg.so.62"}).empty());
  CHECK(warned("libjpeg.so.62", {"libjpeg.so.62"}).empty());
}

TEST_CASE("a pattern that matches nothing names the nearest library, whatever its version") {
  CHECK(warned("libjpg.so.*", {"libc.so.6", "libjpeg.so.62", "libpng16.so.16"}) ==
        Texts{"no library matches `--external libjpg.so.*`: did you mean `libjpeg.so.62`?"});
  CHECK(warned("libjpeg.so.8", {"libc.so.6", "libjpeg.so.62"}) ==
        Texts{"no library matches `--external libjpeg.so.8`: did you mean `libjpeg.so.62`?"});
  CHECK(warned("nothing*", {"libc.so.6", "libjpeg.so.62"}) ==
        Texts{"no library matches `--external nothing*`: expected one of `libc.so.6`, "
              "`libjpeg.so.62`"});
  CHECK(warned("libjpeg.so.62", {}) ==
        Texts{"no library matches `--external libjpeg.so.62`: the wheel needs no library"});
}

TEST_CASE("the needed names of a wheel are those of all its libraries") {
  CHECK(needed_names({library("a.so", {"libb.so", "libc.so.6"}), library("b.so", {"libc.so.6"})}) ==
        std::set<std::string>{"libb.so", "libc.so.6"});
}

}  // namespace
}  // namespace pinwheel::inspect
