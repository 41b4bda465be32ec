#include <string>

#include "binary/cubin_kernels.h"
#include "binary/device_code.h"
#include "binary/fatbin.h"
#include "binary/hip_bundle.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

namespace {

void read_kernels(const ports::ByteSource& cubin) {
  const auto kernels = binary::read_cubin_kernels(cubin);
  if (!kernels) must(kernels.error().kind == ErrorKind::check);
}

}  // namespace

// Every section, and every file that contains one, is read or rejected, and so is every cubin.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ports::MemorySource source{std::string(text_of(data, size))};
  for (const auto read : {binary::read_fatbins, binary::find_fatbins, binary::read_hip_bundles}) {
    binary::Window window(source, 0, source.size());
    binary::CodeList codes;
    const Done done = read(window, codes);
    if (!done) must(done.error().kind == ErrorKind::check);
  }
  const auto codes = binary::read_device_code(source);
  if (!codes) must(codes.error().kind == ErrorKind::check);
  read_kernels(source);
  for (const binary::DeviceCode& code : codes.value_or(std::vector<binary::DeviceCode>())) {
    const auto cubin = binary::read_cubin(source, code);
    if (!cubin) must(cubin.error().kind == ErrorKind::check);
    if (cubin) read_kernels(ports::MemorySource(*cubin));
  }
  return 0;
}
