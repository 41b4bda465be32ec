#include <string>

#include "binary/device_code.h"
#include "binary/fatbin.h"
#include "binary/hip_bundle.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

// Every section, and every file that contains one, is read or rejected.
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
  return 0;
}
