#include "fuzz/fuzz.h"
#include "wheel/deflate.h"
#include "wheel/sdist.h"
#include "wheel/tar.h"
#include "wheel/zip_reader.h"

using namespace pinwheel;

// Every archive is rejected, or its members are safe and equal after writing and reading them
// again; finishing a finished sdist does not change it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = text_of(data, size);
  (void)wheel::gunzip(bytes, 1U << 20U);
  const auto members = wheel::read_tar(bytes);
  if (!members) {
    must(members.error().kind == ErrorKind::check);
    return 0;
  }
  for (const wheel::TarMember& member : *members) must(wheel::is_safe_member_name(member.name));
  const std::string written = wheel::write_tar(*members, 0);
  const auto again = wheel::read_tar(written);
  must(again && again->size() == members->size() && wheel::write_tar(*again, 0) == written);
  const auto finished = wheel::finish_sdist(wheel::gzip(bytes), 0);
  if (finished) must(wheel::finish_sdist(*finished, 0) == *finished);
  return 0;
}
