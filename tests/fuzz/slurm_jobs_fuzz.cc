#include <string>

#include "fuzz/fuzz.h"
#include "slurm/job_result.h"

using namespace pinwheel;

// What jobs leave on a file system that others can write.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  static_cast<void>(slurm::parse_job_result(text, "ab", "build:a"));
  static_cast<void>(slurm::parse_claim(text));
  return 0;
}
