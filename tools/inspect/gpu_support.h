#pragma once
// Device code
//
// A library for a GPU contains programs for the GPU. Whether a wheel works on a given GPU depends
// on them, and no tag of the wheel mentions them. CUDA's compiler puts them into the section
// `.nv_fatbin`: one container for each translation unit, with one entry for each architecture of
// `-gencode`. HIP's compiler writes bundles into `.hip_fatbin`. `binary/device_code` lists the
// entries and decompresses nothing but HIP's compressed bundles.
//
// An entry is machine code or PTX:
//
//     cubin  sm_80        runs on 8.0 and later minor versions (8.6, 8.9), not on 9.0
//     cubin  sm_90a       runs on exactly 9.0: `a` is for features of one architecture
//     cubin  sm_100f      runs on 10.0 and later minor versions of the family
//     ptx    compute_80   the driver compiles it, for 8.0 and everything newer
//     gfx90a              runs on gfx90a only, with any features (`:xnack+`)
//     gfx11-generic       runs on every target that the generic one covers
//
// A product, such as "H100" with architecture 9.0, is supported natively, through PTX, or not at
// all. For one library that is its best entry. For a wheel it is the worst library: a module whose
// main library has code for sm_90 still fails if a helper has only sm_80. Example:
//
//     demo/_C.so       sm_80, sm_90, compute_90     on an H100: native    on a B200: through PTX
//     demo/_sort.so    sm_80, sm_90                 on an H100: native    on a B200: none
//     the wheel                                     on an H100: native    on a B200: none
//
// PTX costs more than time. The driver must know the version of the PTX language, which is that of
// the compiler and not that of the architecture: PTX 8.7 needs a driver of CUDA 12.8 (570), even
// for compute_50. So a wheel can have two minimum drivers, one to load it and a newer one to
// compile its PTX (`inspect/driver`). Compression can raise the first one.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/arch_list.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// A GPU product and its architecture: "9.0" is a compute capability, "gfx942" an AMD target.
struct GpuProduct {
  std::string_view name;
  std::string_view architecture;
};

/// The products in reports, NVIDIA's first, older ones first.
std::span<const GpuProduct> gpu_products();

/// How code runs on a GPU; smaller values are better.
enum class GpuSupport {
  native,        ///< there is machine code for it
  just_in_time,  ///< the driver compiles PTX at load time
  none,
};
/// "native", "ptx", "none".
std::string_view to_string(GpuSupport support);

/// How code for that target runs on a GPU of that architecture ("9.0", "gfx942"). Machine code runs
/// on its own minor version and later ones of the major version, PTX on everything later; with the
/// suffix `a` only on that architecture, with `f` on its family. AMD code runs on its own target
/// with any features, and code for a generic target on all targets it covers.
GpuSupport support_by(const Target& target, std::string_view architecture);

/// A product and how a wheel runs on it: as its worst library, or object if it has no library.
struct ProductSupport {
  GpuProduct product;
  GpuSupport support = GpuSupport::none;
  std::vector<std::string> files = {};  ///< the files with that support
};

/// For every product of the vendors that the wheel has code for; empty without device code.
std::vector<ProductSupport> product_support(const WheelFacts& facts);

}  // namespace pinwheel::inspect
