#pragma once
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "binary/device_code.h"

namespace pinwheel::inspect {

/// Device code for one architecture: cubin "sm_90a", PTX "compute_120", code object
/// "gfx90a:xnack+".
struct Target {
  binary::CodeKind kind = binary::CodeKind::cubin;
  std::string architecture;

  bool operator==(const Target&) const = default;
  /// By kind, then by name: PTX first.
  bool operator<(const Target& other) const {
    return std::tie(kind, architecture) < std::tie(other.kind, other.architecture);
  }
};

/// "PTX compute_120", "sm_90a", "gfx90a".
std::string to_string(const Target& target);

/// The entries of a list in the format of TORCH_CUDA_ARCH_LIST and PYTORCH_ROCM_ARCH, separated by
/// `;`, `,` or spaces.
std::vector<std::string> split_arch_list(std::string_view text);

/// The targets that a build for these architectures must contain, sorted, without duplicates: "8.0"
/// sm_80, "9.0a" sm_90a, "12.0+PTX" sm_120 and PTX of compute_120, "gfx90a" itself. Kind `config`
/// for anything else (`matrix/gpu_architecture`).
Result<std::vector<Target>> targets_of(const std::vector<std::string>& arch_list);

}  // namespace pinwheel::inspect
