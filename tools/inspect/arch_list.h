#pragma once
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "binary/device_code.h"

namespace pinwheel::inspect {

/// Code for one architecture, as a library holds it: cubin "sm_90a", PTX "compute_120", code object
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

/// The entries of a list as TORCH_CUDA_ARCH_LIST and PYTORCH_ROCM_ARCH write it, separated by `;`,
/// `,` or spaces.
std::vector<std::string> split_arch_list(std::string_view text);

/// What a build for these architectures must hold, sorted, each once: "8.0" sm_80, "9.0a" sm_90a,
/// "12.0+PTX" sm_120 and PTX of compute_120, "gfx90a" itself. Kind `config` for anything else, the
/// generation names of old torch releases among them.
Result<std::vector<Target>> targets_of(const std::vector<std::string>& arch_list);

}  // namespace pinwheel::inspect
