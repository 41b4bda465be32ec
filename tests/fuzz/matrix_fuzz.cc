#include "fuzz/fuzz.h"
#include "matrix/parse.h"

using namespace pinwheel;

// Every file is parsed, or rejected as a config error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto matrix = matrix::parse(text_of(data, size), "matrix.yaml");
  if (!matrix) must(matrix.error().kind == ErrorKind::config);
  return 0;
}
