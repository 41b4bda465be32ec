#include "matrix/compute_name.h"

#include "matrix/parse.h"
#include "unit/catch.h"
#include "unit/matrix/parsed.h"

using namespace pinwheel;

namespace {

std::string hint_for(const std::string& value) {
  const Done checked = matrix::check_compute(value, {"m.yaml", 3, 1, {}});
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().kind == ErrorKind::config);
  CHECK(checked.error().at->line == 3);
  return checked.error().hint;
}

}  // namespace

TEST_CASE("a compute is cpu, or a toolkit with its version") {
  for (const char* value : {"cpu", "cuda/12", "cuda/13.0", "cuda/11.7.1", "rocm/7.1"}) {
    INFO(value);
    CHECK(matrix::check_compute(value, {}).has_value());
  }
}

TEST_CASE("another spelling of a toolkit is refused with the right one") {
  for (const char* value :
       {"cuda-13.0", "cuda13.0", "cuda_13.0", "CUDA/13.0", "cuda 13.0", "cu130", "cuda==13.0"}) {
    INFO(value);
    CHECK(hint_for(value) == "did you mean `cuda/13.0`?");
  }
  CHECK(hint_for("rocm7.1") == "did you mean `rocm/7.1`?");
  CHECK(hint_for("CPU") == "did you mean `cpu`?");
  CHECK(hint_for("cuda") == "add the version of the toolkit: `cuda/X.Y`");
  CHECK(hint_for("cuda/13.0-devel").find("one of these") != std::string::npos);
  CHECK(hint_for("xpu").find("one of these") != std::string::npos);
}

TEST_CASE("axes and the rows of include and exclude are checked") {
  for (const char* body : {"axes: {compute: [cpu, cuda-13.0]}\n",
                           "axes: {compute: [cpu]}\ninclude: [{compute: cuda-13.0}]\n",
                           "axes: {compute: [cpu]}\nexclude: [{compute: cuda-13.0}]\n"}) {
    INFO(body);
    const auto matrix = matrix::parse(testing::kHead + body, "m.yaml");
    REQUIRE_FALSE(matrix.has_value());
    CHECK(matrix.error().message ==
          "a compute is `cpu`, `cuda/X.Y` or `rocm/X.Y`, and `cuda-13.0` is not");
    CHECK(matrix.error().at->line >= 3);
  }
}
