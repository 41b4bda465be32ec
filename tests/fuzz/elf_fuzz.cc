#include <string>

#include "binary/dynamic_landmark.h"
#include "binary/elf.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

// Every file is read or rejected, and its dynamic section is found inside it or not at all.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = text_of(data, size);
  const ports::MemorySource file{std::string(bytes)};
  const auto elf = binary::read_elf(file);
  if (!elf) must(elf.error().kind == ErrorKind::check);
  const auto mark = binary::DynamicLandmark::of(file);
  if (!mark) return 0;
  const ChunkPosition seen = mark->locate(bytes);
  must(seen.where != ChunkPosition::Where::contains || seen.at + mark->size() <= size);
  return 0;
}
