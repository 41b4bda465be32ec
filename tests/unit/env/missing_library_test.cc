#include "env/missing_library.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::string package_for(std::string_view output) {
  const auto library = env::missing_library(output);
  return library ? library->package : "";
}

}  // namespace

TEST_CASE("what tools print of a library that is not there names its package") {
  for (const auto& [output, package] :
       {std::pair{"c/a.c:15:10: fatal error: ffi.h: No such file or directory", "libffi-dev"},
        {"a.c:1:10: fatal error: 'curl/easy.h' file not found", "libcurl4-openssl-dev"},
        {"/usr/bin/ld: cannot find -ljpeg: No such file or directory", "libjpeg-dev"},
        {"/usr/bin/ld: cannot find -lpq", "libpq-dev"},
        {"m.build:1:0: ERROR: Dependency \"cairo\" not found, tried pkgconfig", "libcairo2-dev"},
        {"  Could NOT find ZLIB (missing: ZLIB_LIBRARY)", "zlib1g-dev"},
        {"Package 'libsodium', required by 'virtual:world', not found", "libsodium-dev"},
        {"Could not run curl-config: [Errno 2]", "libcurl4-openssl-dev"},
        {"Error: pg_config executable not found.", "libpq-dev"}}) {
    INFO(output);
    CHECK(package_for(output) == package);
  }
}

TEST_CASE("a header or a library of CUDA names the part of the toolkit that has it") {
  for (const auto& [output, part] :
       {std::pair{
            "ATen/cuda/CUDAContext.h:6:10: fatal error: cusparse.h: No such file or directory",
            "cusparse"},
        {"a.cu:1:10: fatal error: 'nvtx3/nvToolsExt.h' file not found", "nvtx"},
        {"a.cu:1:10: fatal error: cusparseLt.h: No such file or directory",
         "nvidia-cusparselt-cu13"},
        {"a.cu:1:10: fatal error: cudnn.h: No such file or directory", "nvidia-cudnn-cu13"},
        {"a.cpp:1:10: fatal error: cuda_runtime_api.h: No such file or directory", "cudart"},
        {"a.cu:1:10: fatal error: thrust/sort.h: No such file or directory", "cccl"},
        {"/usr/bin/ld: cannot find -lcublasLt: No such file or directory", "cublas"},
        {"/usr/bin/ld: cannot find -lnppc", "npp"},
        {"CMake Error at CMakeLists.txt:4:\n  Target \"a\" links to:\n\n    CUDA::cufft\n",
         "cufft"}}) {
    INFO(output);
    const auto library = env::missing_library(output);
    REQUIRE(library);
    CHECK(library->package == part);
    CHECK(library->source == env::LibrarySource::cuda);
  }
  CHECK(env::missing_library("cannot find -lpng")->source == env::LibrarySource::system);
}

TEST_CASE("the line that shows it is kept") {
  const auto found =
      env::missing_library("cc -c a.c\n  a.c:1:2: fatal error: png.h: No such file or directory\n");
  REQUIRE(found);
  CHECK(found->line == "a.c:1:2: fatal error: png.h: No such file or directory");
}

TEST_CASE("what is not known, or only optional, is no library of the system") {
  CHECK(package_for("a.c:1:2: fatal error: nothere.h: No such file or directory").empty());
  CHECK(package_for("-- Could NOT find ZLIB (missing: ZLIB_LIBRARY)").empty());
  CHECK(package_for("a.c:1:2: error: expected ';'").empty());
  CHECK(package_for("").empty());
}
