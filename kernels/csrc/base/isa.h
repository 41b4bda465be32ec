#pragma once

namespace pinwheel {

/// Instruction sets that simd/ is compiled for; `kBase` is the platform's baseline (SSE2, NEON).
enum class Isa { kBase, kAvx2, kAvx512 };

/// The widest one that this CPU and its OS support, detected once. The environment variable
/// PINWHEEL_ISA (base, avx2 or avx512) can select a narrower one, never a wider one.
Isa isa();

}  // namespace pinwheel
