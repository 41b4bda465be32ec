#include <string>

#include "binary/device_code.h"
#include "binary/fatbin.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

// A file streamed in chunks of any length has the same result as one in memory.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t piece = 8 * (1 + data[0] % 64);
  const std::string bytes(text_of(data + 1, size - 1));
  binary::FatbinScanner scanner(bytes.size());
  for (size_t at = 0; at < bytes.size(); at += piece) {
    scanner.feed(std::string_view(bytes).substr(at, piece));
  }
  const ports::MemorySource source(bytes);
  const auto passed = binary::read_device_code(source, scanner);
  if (!passed) must(passed.error().kind == ErrorKind::check);
  return 0;
}
