#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace pinwheel::binary {

enum class X86Kind {
  other,
  sse,         ///< operates on vectors in the encoding of SSE, which every x86_64 processor has
  avx,         ///< in the encoding of AVX, AVX2 and FMA (VEX), or of AMD's XOP
  bmi,         ///< of BMI, which has the encoding of AVX and operates on integers
  avx512,      ///< in the encoding of AVX-512 (EVEX)
  cpu_queries  ///< `cpuid` or `xgetbv`, which report the processor's features
};

struct X86Instruction {
  uint32_t length = 0;  ///< bytes, at most 15
  X86Kind kind = X86Kind::other;

  bool operator==(const X86Instruction&) const = default;
};

/// The longest instruction.
inline constexpr uint32_t kLongestX86 = 15;

/// The first instruction of 64-bit code (Intel SDM, volume 2, chapter 2). nullopt for bytes that
/// are not an instruction, and for a truncated one.
std::optional<X86Instruction> read_x86(std::string_view code);

/// The number of instructions of each kind in a piece of code.
struct X86Counts {
  uint64_t sse = 0;
  uint64_t avx = 0;
  uint64_t bmi = 0;
  uint64_t avx512 = 0;
  uint64_t cpu_queries = 0;

  bool operator==(const X86Counts&) const = default;
};

/// Adds the instructions of `code`, one after the other, and skips bytes that are none. Returns the
/// number of bytes used: the rest may be the beginning of another instruction.
size_t count_x86(std::string_view code, X86Counts& counts);

}  // namespace pinwheel::binary
