#include "base/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pinwheel {
namespace {

#if defined(__x86_64__)
// `__builtin_cpu_supports` knows "f16c" only since GCC 11.
bool has_f16c() {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

Isa widest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
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
