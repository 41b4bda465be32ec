#include "matrix/compute_name.h"

#include "matrix/parse.h"
#include "unit/catch.h"
#include "unit/matrix/parsed.h"

using namespace pinwheel;

namespace {

using matrix::DeclaredComputes;

std::string hint_for(const std::string& value, const DeclaredComputes& computes = {}) {
  const Done checked = matrix::check_compute(value, computes, {"m.yaml", 3, 1, {}});
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().kind == ErrorKind::config);
  CHECK(checked.error().at->line == 3);
  return checked.error().hint;
}

matrix::DeclaredCompute declared(const std::string& name, const std::string& label = {}) {
  return {name, label, {}, {}};
}

}  // namespace

TEST_CASE("a known compute is cpu, xpu, or a toolkit with its version") {
  for (const char* value :
       {"cpu", "cuda/12", "cuda/13.0", "cuda/11.7.1", "rocm/7.1", "xpu", "xpu/2025.1"}) {
    INFO(value);
    CHECK(matrix::check_compute(value, {}, {}).has_value());
  }
}

TEST_CASE("another spelling of a compute is refused with the right one") {
  for (const char* value : {"cuda-13.0", "cuda13.0", "cuda_13.0", "CUDA/13.0", "cuda 13.0", "cu130",
                            "cuda==13.0", "cdua/13.0", "cuba/13.0"}) {
    INFO(value);
    CHECK(hint_for(value) == "did you mean `cuda/13.0`?");
  }
  CHECK(hint_for("rocm7.1") == "did you mean `rocm/7.1`?");
  CHECK(hint_for("rcom/7.1") == "did you mean `rocm/7.1`?");
  CHECK(hint_for("CPU") == "did you mean `cpu`?");
  CHECK(hint_for("cpuu") == "did you mean `cpu`?");
  CHECK(hint_for("XPU") == "did you mean `xpu`?");
  CHECK(hint_for("xpu-2025.1") == "did you mean `xpu/2025.1`?");
  CHECK(hint_for("xpu2025.1") == "did you mean `xpu/2025.1`?");
  CHECK(hint_for("cuda") == "add the version of the toolkit: `cuda/X.Y`");
  CHECK(hint_for("rocm/") == "add the version of the toolkit: `rocm/X.Y`");
  for (const char* value : {"mtia", "cuda/13.0-devel", "cuda/1.2.3.4", "cuda/x"}) {
    INFO(value);
    CHECK(hint_for(value).find(std::string("computes: {") + value + ":") != std::string::npos);
  }
}

TEST_CASE("a line declares a compute, or a family of them") {
  const DeclaredComputes computes = {declared("mtia"), declared("gaudi", "hpu"),
                                     declared("gaudi/1.22", "hpu122")};
  for (const char* value : {"mtia", "gaudi/1.21", "gaudi/1.22", "mtia/2"}) {
    INFO(value);
    CHECK(matrix::check_compute(value, computes, {}).has_value());
  }
  CHECK(hint_for("mtai", computes) == "did you mean `mtia`?");
  CHECK(hint_for("guadi/1.21", computes) == "did you mean `gaudi/1.21`?");
  CHECK(hint_for("gaudi/a b", computes).find("computes:") != std::string::npos);
  CHECK(matrix::find_declared(computes, "gaudi/1.22") == &computes[2]);
  CHECK(matrix::find_declared(computes, "gaudi/1.23") == &computes[1]);
  CHECK(matrix::find_declared(computes, "cpu") == nullptr);
}

TEST_CASE("a label is the declared one, with the version of a family behind it") {
  const DeclaredComputes computes = {declared("mtia"), declared("gaudi", "hpu"),
                                     declared("gaudi/1.22", "hpu122"), declared("Odd_One")};
  CHECK(matrix::label_of_compute(computes, "mtia") == "mtia");
  CHECK(matrix::label_of_compute(computes, "gaudi/1.21.3") == "hpu1.21");
  CHECK(matrix::label_of_compute(computes, "gaudi/1.21.3", 1) == "hpu1");
  CHECK(matrix::full_label_of_compute(computes, "gaudi/1.21.3") == "hpu1.21.3");
  CHECK(matrix::label_of_compute(computes, "gaudi/1.22") == "hpu122");
  CHECK(matrix::label_of_compute(computes, "Odd_One") == "odd_one");
  CHECK(matrix::label_of_compute(computes, "cuda/13.0") == "cu130");
  CHECK(matrix::label_of_compute({}, "xpu") == "xpu");
  CHECK(matrix::label_of_compute({}, "xpu/2025.1") == "xpu2025.1");
}

TEST_CASE("axes and the values in rows of include and exclude are checked") {
  for (const char* body : {"axes: {compute: [cpu, cuda-13.0]}\n",
                           "axes: {compute: [cpu]}\ninclude: [{compute: cuda-13.0}]\n",
                           "axes: {compute: [cpu]}\nexclude: [{compute: cuda-13.0}]\n"}) {
    INFO(body);
    const auto matrix = matrix::parse(testing::kHead + body, "m.yaml");
    REQUIRE_FALSE(matrix.has_value());
    CHECK(matrix.error().message == "unknown compute `cuda-13.0`");
    CHECK(matrix.error().at->line >= 3);
  }
}
