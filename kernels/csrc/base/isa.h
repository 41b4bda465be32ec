#pragma once

namespace pinwheel {

/// Instruction sets that the files of simd/ are compiled for; `kBase` is what every CPU of the
/// platform has (SSE2, NEON).
enum class Isa { kBase, kAvx2, kAvx512 };

/// The widest one that this CPU and its system have, asked once. The environment variable
/// PINWHEEL_ISA (base, avx2 or avx512) can make it narrower, never wider.
Isa isa();

}  // namespace pinwheel
