#include <string>

#include "binary/elf.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

// Every file is read or refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto elf = binary::read_elf(ports::MemorySource(std::string(text_of(data, size))));
  if (!elf) must(elf.error().kind == ErrorKind::check);
  return 0;
}
