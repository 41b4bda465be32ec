#include "matrix/axis_value.h"

#include <algorithm>
#include <string>
#include <vector>

#include "unit/catch.h"

using namespace pinwheel::matrix;

TEST_CASE("the part of an id is the usual short name of the value") {
  CHECK(id_part("python", "3.10") == "cp310");
  CHECK(id_part("python", "3.13t") == "cp313t");
  CHECK(id_part("python", "pypy3.10") == "pypy3.10");
  CHECK(id_part("compute", "cpu") == "cpu");
  CHECK(id_part("compute", "cuda/13.0") == "cu130");
  CHECK(id_part("compute", "cuda/12") == "cu12");
  CHECK(id_part("compute", "cuda/11.7.1") == "cu117");
  CHECK(id_part("compute", "rocm/7.1") == "rocm7.1");
  CHECK(id_part("torch", "2.13") == "torch2.13");
  CHECK(id_part("torch", "nightly") == "torchnightly");
  CHECK(id_part("arch", "x86_64") == "x86_64");
  CHECK(id_part("blas", "Open BLAS/0") == "open-blas-0");
}

TEST_CASE("a label has as many version components as requested") {
  CHECK(compute_label("cuda/13.0.1") == "cu130");
  CHECK(compute_label("rocm/6.4.2") == "rocm6.4");
  CHECK(compute_label("cuda/13.0", 1) == "cu13");
  CHECK(compute_label("rocm/7.1", 1) == "rocm7");
  CHECK(compute_label("cpu", 1) == "cpu");
}

TEST_CASE("a full label keeps the patch level") {
  CHECK(full_compute_label("cuda/11.7.1") == "cu1171");
  CHECK(full_compute_label("rocm/5.4.2") == "rocm5.4.2");
  CHECK(full_compute_label("cpu") == "cpu");
}

std::string text_of(const std::optional<Compute>& compute) {
  if (!compute) return "";
  return compute->version.empty() ? compute->family : compute->family + "/" + compute->version;
}

TEST_CASE("a label is read back as the compute that it was made of") {
  for (const char* value : {"cuda/13.0", "cuda/12.8", "cuda/11.8", "cuda/10.2", "cuda/9.2",
                            "rocm/7.1", "rocm/6.4", "xpu/2025.1", "cpu", "xpu"}) {
    INFO(value);
    CHECK(text_of(compute_of_label(compute_label(value))) == value);
    const std::string local = "pt213" + compute_label(value) + ".inference";
    CHECK(text_of(compute_in_local_version(local)) == value);
  }
  CHECK(text_of(compute_of_label(full_compute_label("cuda/11.7.1"))) == "cuda/11.7.1");
  CHECK(text_of(compute_of_label(full_compute_label("rocm/5.4.2"))) == "rocm/5.4.2");
  CHECK(text_of(compute_of_label(compute_label("cuda/13.0", 1))) == "cuda/13");
  CHECK(text_of(compute_of_label(compute_label("rocm/7.1", 1))) == "rocm/7");
  for (const char* other : {"", "cu", "cuda", "rocm", "cpu.cxx11", "pt213cu130", "gaudi1.22"}) {
    INFO(other);
    CHECK_FALSE(compute_of_label(other));
  }
}

TEST_CASE("a label is found in a local version, whatever stands around it") {
  const auto found = [](std::string_view local) {
    return text_of(compute_in_local_version(local));
  };
  for (const char* local : {"cu128", "pt28cu128", "torch260cu128", "torch2.9.cu128", "2.9.0cu128",
                            "cuda12.8", "nightlycu128", "g1a2b3c4.cu128"}) {
    INFO(local);
    CHECK(found(local) == "cuda/12.8");
  }
  CHECK(found("cu12torch2.9cxx11abitrue") == "cuda/12");
  CHECK(found("cuda12.cudnn89") == "cuda/12");
  CHECK(found("pt213rocm7.1") == "rocm/7.1");
  CHECK(found("rocm624") == "rocm/6.2.4");
  CHECK(found("rocm7.1.g1a2b3c4") == "rocm/7.1");
  CHECK(found("rocm7.1.20261101") == "rocm/7.1");
  CHECK(found("pt213cpu") == "cpu");
  CHECK(found("cpu.cxx11.abi") == "cpu");
  for (const char* local :
       {"", "local.7", "custom", "accuracy", "cpuinfo", "g1a2b3c4", "ubuntu22"}) {
    INFO(local);
    CHECK(found(local).empty());
  }
}

TEST_CASE("the leading components of a version are cut at a dot") {
  CHECK(leading(1, "13.0") == "13");
  CHECK(leading(2, "11.7.1") == "11.7");
  CHECK(leading(2, "12") == "12");
  CHECK(leading(2, "nightly") == "nightly");
}

TEST_CASE("values sort as versions, and nightly is newest") {
  std::vector<std::string> torch = {"nightly", "2.10", "2.9", "2.13", "2.9.1", "1.13"};
  std::sort(torch.begin(), torch.end(),
            [](const std::string& a, const std::string& b) { return compare_versions(a, b) < 0; });
  CHECK(torch == std::vector<std::string>{"1.13", "2.9", "2.9.1", "2.10", "2.13", "nightly"});
  CHECK(compare_versions("2.10", "2.10") == 0);
  CHECK(compare_versions("cuda/12.6", "cuda/12.10") < 0);
  CHECK(compare_versions("cuda/9", "cuda/13.0") < 0);
  CHECK(compare_versions("cpu", "cuda/11") < 0);
  CHECK(compare_versions("3.13", "3.13t") < 0);
  CHECK(compare_versions("3.13t", "3.14") < 0);
}
