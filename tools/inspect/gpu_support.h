#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "inspect/arch_list.h"
#include "inspect/gpu_product.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

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
/// suffix `a` only on that architecture, with `f` on its family. AMD code runs on its own target,
/// whatever its features, and code for a generic target on all targets it covers.
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
