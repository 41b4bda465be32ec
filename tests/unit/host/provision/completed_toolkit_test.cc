#include "host/provision/completed_toolkit.h"

#include <string>

#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A toolkit as PyPI has it, and the packages of a torch for the same CUDA.
struct Place {
  Scratch scratch;
  LocalFiles files;
  env::Toolkit toolkit = env::cuda_toolkit((scratch.path() / "cuda").string(), "13.0.88");

  Place() {
    for (const char* const name :
         {"cuda/bin/nvcc", "cuda/nvvm/bin/cicc", "cuda/include/cuda_runtime.h",
          "cuda/lib/libcudart.so.13", "cuda/targets/x86_64-linux/include/cuda_runtime.h"}) {
      scratch.write(name, "of the toolkit");
    }
    fs::create_directory_symlink("lib", scratch.path() / "cuda/lib64");
    for (const char* const name :
         {"nvidia/cu13/include/cuda_runtime.h", "nvidia/cu13/include/cusparse.h",
          "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcusparse.so.12",
          "nvidia/cudnn/include/cudnn.h", "nvidia/cudnn/lib/libcudnn.so.9",
          "nvidia/cudnn/include/cusparse.h"}) {
      scratch.write(name, "of torch's packages");
    }
  }

  Result<std::optional<env::Toolkit>> complete() {
    return complete_toolkit(files, toolkit, scratch.path() / "nvidia", scratch.path() / "made");
  }
};

TEST_CASE("a toolkit is completed with what torch's packages have and it lacks") {
  Place place;
  const auto made = place.complete();
  REQUIRE(made);
  REQUIRE(*made);
  const fs::path prefix = place.scratch.path() / "made";
  CHECK((*made)->prefix == prefix.string());
  CHECK((*made)->release == "13.0.88");
  CHECK((*made)->variables.at("CUDA_HOME") == prefix.string());
  for (const char* const name : {"bin/nvcc", "nvvm/bin/cicc", "include/cuda_runtime.h",
                                 "lib64/libcudart.so.13", "lib64/libcudart.so"}) {
    INFO(name);
    CHECK(place.scratch.read("made/" + std::string(name)) == "of the toolkit");
  }
  for (const char* const name :
       {"include/cusparse.h", "include/cudnn.h", "lib/libcusparse.so", "lib64/libcudnn.so"}) {
    INFO(name);
    CHECK(place.scratch.read("made/" + std::string(name)) == "of torch's packages");
  }
  CHECK(fs::canonical(prefix / "include/cusparse.h") ==
        fs::canonical(place.scratch.path() / "nvidia/cu13/include/cusparse.h"));
  // nvcc would look there instead of in `include`.
  CHECK_FALSE(fs::exists(prefix / "targets"));
  CHECK(fs::is_directory(fs::symlink_status(prefix / "bin")));
}

TEST_CASE("a toolkit that has what torch's headers include stays as it is") {
  Place place;
  place.scratch.write("cuda/include/cusparse.h", "of the toolkit");
  CHECK_FALSE(*place.complete());
  CHECK_FALSE(fs::exists(place.scratch.path() / "made"));
}

TEST_CASE("a torch without packages of NVIDIA completes nothing") {
  Place place;
  fs::remove_all(place.scratch.path() / "nvidia");
  CHECK_FALSE(*place.complete());
}

TEST_CASE("packages of an older CUDA have a directory each") {
  Place place;
  fs::remove_all(place.scratch.path() / "nvidia");
  place.scratch.write("nvidia/cublas/include/cublas_v2.h", "of torch's packages");
  place.scratch.write("nvidia/cublas/lib/libcublas.so.12", "of torch's packages");
  const auto made = place.complete();
  REQUIRE(made);
  REQUIRE(*made);
  CHECK(place.scratch.read("made/include/cublas_v2.h") == "of torch's packages");
  CHECK(place.scratch.read("made/lib/libcublas.so") == "of torch's packages");
}

}  // namespace
}  // namespace pinwheel::host
