#include "base/isa.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pinwheel {
namespace {

Isa widest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c");
  if (!avx2) return Isa::kBase;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? Isa::kAvx512 : Isa::kAvx2;
#else
  return Isa::kBase;
#endif
}

Isa most_wanted() {
  const char* const name = std::getenv("PINWHEEL_ISA");
  if (name == nullptr) return Isa::kAvx512;
  if (std::strcmp(name, "base") == 0) return Isa::kBase;
  if (std::strcmp(name, "avx2") == 0) return Isa::kAvx2;
  return Isa::kAvx512;
}

}  // namespace

Isa isa() {
  static const Isa chosen = std::min(widest(), most_wanted());
  return chosen;
}

}  // namespace pinwheel
