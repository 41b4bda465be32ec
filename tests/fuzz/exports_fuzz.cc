#include "exports/table_bytes.h"
#include "fuzz/fuzz.h"

using namespace pinwheel;

// Every table is rejected, or is equal after writing and reading it again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto table = exports::parse_table(text_of(data, size));
  if (!table) return 0;
  for (const uint64_t hash : table->parts().hashes) must(!table->exporters_of(hash).empty());
  const auto again = exports::parse_table(exports::serialize(*table));
  must(again && *again == *table);
  return 0;
}
