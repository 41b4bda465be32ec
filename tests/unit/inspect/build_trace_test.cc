#include "inspect/build_trace.h"

#include "unit/catch.h"

using pinwheel::inspect::build_trace;
using Texts = std::vector<std::string>;

TEST_CASE("a log shows the compiler that ran") {
  for (const char* const line : {
           "x86_64-linux-gnu-gcc -Wsign-compare -fPIC -c a.c -o build/a.o",
           "[1/2] /usr/bin/x86_64-linux-gnu-g++-12 -MMD -c a.cc -o a.o",
           "[2/3] /usr/local/cuda/bin/nvcc -c a.cu -o a.o",
           "[1/4] Building CXX object CMakeFiles/a.dir/a.cc.o",
           "[3/9] Compiling C object a.so.p/a.c.o",
           "   Compiling serde v1.0.200",
       }) {
    CHECK(build_trace(std::string("running build_ext\n") + line + "\n", {}).compiled);
  }
  CHECK_FALSE(build_trace("", {}).compiled);
  CHECK(build_trace("[1/1] Cythonizing a.pyx\nrunning build_ext\ncopying a.so\n", {}).compiled);
  CHECK_FALSE(build_trace("running build_ext\nGuessing wheel URL: https://x/a-1.0.whl\n"
                          "checking for gcc\ncc (Debian 12.2.0) 12.2.0\n",
                          {})
                  .compiled);
}

TEST_CASE("flags for the machine at hand are those of compilers that run, each once") {
  CHECK(build_trace("gcc -march=native -c a.c\ngcc -c b.c -march=native\n", {}).machine_flags ==
        Texts{"-march=native"});
  CHECK(build_trace("nvcc -Xcompiler=-march=native,-O3 -arch=native -c a.cu\n", {}).machine_flags ==
        Texts{"-march=native", "-arch=native"});
  CHECK(build_trace("rustc --crate-name a -Ctarget-cpu=native -o a.so\n", {}).machine_flags ==
        Texts{"target-cpu=native"});
  CHECK(build_trace("checking whether gcc takes -march=native: yes\n"
                    "gcc -march=native-like -c a.c\ngcc -mtune=native -c a.c\n",
                    {})
            .machine_flags.empty());
  CHECK(build_trace("", {"  FLAGS = -O3 -march=native -fPIC\n"}).machine_flags ==
        Texts{"-march=native"});
}
