#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::matrix {

/// An entry of an arch list: "9.0a", "12.0+PTX", "gfx90a:xnack+".
struct GpuArchitecture {
  enum class Vendor { nvidia, amd };
  enum class Ptx { none, too };

  Vendor vendor = Vendor::nvidia;
  std::string name;  ///< as compilers name it: "90a", "gfx90a:xnack+"
  Ptx ptx = Ptx::none;
};

/// Parses one architecture of NVIDIA (existing compute capabilities, `a` from 9.0 and `f` from 10.0
/// on, with `+PTX`) or AMD. Kind `config` for anything else. The hint has the correct text for
/// several architectures in one text, for torch's names of lists ("Hopper", "Common", "All"), which
/// mean something else in each torch release, for `native`, which is the GPU of the machine that
/// compiles, and for compilers' spellings ("sm_90", "90").
Result<GpuArchitecture> parse_gpu_architecture(std::string_view text);

/// Checks an entry of `build.arch-list` for a family of computes: NVIDIA's for "cuda" and "" (a
/// matrix without computes), AMD's for "rocm", one word for any other.
Done check_architecture(std::string_view entry, std::string_view family);

}  // namespace pinwheel::matrix
