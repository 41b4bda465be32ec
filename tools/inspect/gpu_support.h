#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "inspect/arch_list.h"
#include "inspect/gpu_product.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// How code comes to run on a GPU; the better one is the smaller value.
enum class GpuSupport {
  native,        ///< machine code for it
  just_in_time,  ///< its driver compiles PTX when the code is loaded
  none,
};
/// "native", "ptx", "none".
std::string_view to_string(GpuSupport support);

/// Whether code of that target runs on a GPU of that architecture ("9.0", "gfx942"). Machine code
/// runs on its own minor release and later ones of the major release, PTX on everything later;
/// with the suffix `a` on that very architecture, with `f` on its family. AMD's code runs on its
/// own target, whatever its features, and a generic target's on the targets that it stands for.
GpuSupport support_by(const Target& target, std::string_view architecture);

/// A product and how a wheel runs on it: as its worst library does, or object where it has none.
struct ProductSupport {
  GpuProduct product;
  GpuSupport support = GpuSupport::none;
  std::vector<std::string> files = {};  ///< those that run so
};

/// For every product of the makers that the wheel has code for; empty without device code.
std::vector<ProductSupport> product_support(const WheelFacts& facts);

}  // namespace pinwheel::inspect
