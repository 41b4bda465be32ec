#include "compat/assessment.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

CudaNeeds needs_of(const Texts& needed) {
  return cuda_needs(wheel_wanting({}, "py3-none-linux_x86_64", needed));
}

TEST_CASE("the runtime implies the oldest driver, whoever provides it") {
  CHECK(needs_of({"libcudart.so.13"}).minimum_driver == "580");
  CHECK(needs_of({"libcudart.so.12"}).minimum_driver == "525");
  CHECK(needs_of({"libcudart.so.11.0"}).minimum_driver == "450");
  CHECK(needs_of({"libcudart.faf08d9a.so.13"}).runtimes == std::vector<int>{13});
  CHECK(needs_of({"libcudart.so.12", "libcudart.so.11.0"}).runtimes == std::vector<int>{11, 12});
  CHECK(needs_of({"libcudart.so.12", "libcudart.so.11.0"}).minimum_driver == "525");
  CHECK(needs_of({"libc.so.6", "libcudart.so"}).runtimes.empty());
}

TEST_CASE("a driver for an unknown runtime is not guessed") {
  CHECK(needs_of({"libcudart.so.99"}).runtimes == std::vector<int>{99});
  CHECK(needs_of({"libcudart.so.99"}).minimum_driver.empty());
}

}  // namespace
}  // namespace pinwheel::compat
