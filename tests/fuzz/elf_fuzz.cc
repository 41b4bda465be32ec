#include <string>

#include "binary/dynamic_landmark.h"
#include "binary/elf.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

// Every file is read or refused, and its dynamic section found within it or not at all.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = text_of(data, size);
  const ports::MemorySource file{std::string(bytes)};
  const auto elf = binary::read_elf(file);
  if (!elf) must(elf.error().kind == ErrorKind::check);
  const auto mark = binary::DynamicLandmark::of(file);
  if (!mark) return 0;
  const Sighting seen = mark->look(bytes);
  must(seen.where != Sighting::Where::reaching || seen.at + mark->size() <= size);
  return 0;
}
