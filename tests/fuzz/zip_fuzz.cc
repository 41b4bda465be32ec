#include <string>

#include "fuzz/fuzz.h"
#include "wheel/archive.h"

using namespace pinwheel;

// Every archive is rejected, or each of its members is read to its size or rejected.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ports::MemorySource source{std::string(text_of(data, size))};
  const auto zip = wheel::ZipReader::open(source);
  if (!zip) {
    must(zip.error().kind == ErrorKind::check);
    return 0;
  }
  for (const wheel::ZipMember& member : zip->members()) {
    must(wheel::is_safe_member_name(member.name));
    const auto contents = zip->read(member);
    must(contents ? contents->size() == member.size : contents.error().kind == ErrorKind::check);
  }
  (void)wheel::open_wheel("x-1-py3-none-any.whl", source);
  return 0;
}
