// The GPU kernel of the presence mask; the kernels of jagged.cu move the rows.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/pack_segments.cu"

#include <memory>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

template <class Index>
void rows_are_present_up_to_the_length() {
  const std::vector<Index> lengths = {0, 3, -5, 1, 100, 7};
  const int64_t max_length = 7;
  const int64_t size = 6 * max_length;
  const std::unique_ptr<bool[]> out(new bool[size + 1]);
  out[size] = true;
  run_gpu(PresenceJob<Index>{lengths.data(), 6, max_length, out.get()}, nullptr);
  for (int64_t i = 0; i < size; ++i) CHECK(out[i] == (i % max_length < lengths[i / max_length]));
  CHECK(out[size]);
}

void everything() {
  rows_are_present_up_to_the_length<int32_t>();
  rows_are_present_up_to_the_length<int64_t>();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
