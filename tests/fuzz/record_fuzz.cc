#include "fuzz/fuzz.h"
#include "wheel/record.h"

using namespace pinwheel;

// Rows that were read are equal after writing and reading them again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto rows = wheel::parse_record(text_of(data, size));
  if (!rows) {
    must(rows.error().kind == ErrorKind::check);
    return 0;
  }
  must(wheel::parse_record(to_string(*rows)) == *rows);
  (void)wheel::record_faults(*rows, {{"a", "digest", 1}}, "x.dist-info/RECORD");
  return 0;
}
