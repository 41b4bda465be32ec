#include "inspect/required_libraries.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace pinwheel::inspect {
namespace {

enum class Numbered { as_toolkit, otherwise };

/// An NVIDIA distribution, without the prefix `nvidia-` and the suffix `-cuN`, and a library that
/// it provides.
struct ProvidedLibrary {
  std::string_view distribution;
  std::string_view library;
  Numbered numbered;
};
constexpr std::array<ProvidedLibrary, 22> kBrought = {{
    {"cuda-runtime", "libcudart.so", Numbered::as_toolkit},
    {"cuda-nvrtc", "libnvrtc.so", Numbered::as_toolkit},
    {"cuda-nvrtc", "libnvrtc-builtins.so", Numbered::as_toolkit},
    {"cuda-cupti", "libcupti.so", Numbered::as_toolkit},
    {"cublas", "libcublas.so", Numbered::as_toolkit},
    {"cublas", "libcublasLt.so", Numbered::as_toolkit},
    {"nvjitlink", "libnvJitLink.so", Numbered::as_toolkit},
    {"cudnn", "libcudnn", Numbered::otherwise},
    {"cufft", "libcufft.so", Numbered::otherwise},
    {"cufft", "libcufftw.so", Numbered::otherwise},
    {"cufile", "libcufile.so", Numbered::otherwise},
    {"cufile", "libcufile_rdma.so", Numbered::otherwise},
    {"curand", "libcurand.so", Numbered::otherwise},
    {"cusolver", "libcusolver.so", Numbered::otherwise},
    {"cusolver", "libcusolverMg.so", Numbered::otherwise},
    {"cusparse", "libcusparse.so", Numbered::otherwise},
    {"cusparselt", "libcusparseLt.so", Numbered::otherwise},
    {"nccl", "libnccl.so", Numbered::otherwise},
    {"npp", "libnpp", Numbered::otherwise},
    {"nvjpeg", "libnvjpeg.so", Numbered::otherwise},
    {"nvshmem", "libnvshmem", Numbered::otherwise},
    {"nvtx", "libnvToolsExt.so", Numbered::otherwise},
}};

/// "cuda-runtime" and "12" for `nvidia-cuda-runtime-cu12`.
struct Distribution {
  std::string stem;
  std::string toolkit = {};
};

Distribution distribution_of(const std::string& project) {
  std::string stem = project.substr(std::string_view("nvidia-").size());
  const size_t suffix = stem.rfind("-cu");
  if (suffix == std::string::npos ||
      stem.find_first_not_of("0123456789", suffix + 3) != std::string::npos) {
    return {std::move(stem)};
  }
  return {stem.substr(0, suffix), stem.substr(suffix + 3)};
}

bool brings(const Distribution& distribution, const std::string& soname) {
  return std::any_of(kBrought.begin(), kBrought.end(), [&](const ProvidedLibrary& brought) {
    if (brought.distribution != distribution.stem || !soname.starts_with(brought.library))
      return false;
    if (brought.numbered == Numbered::otherwise || distribution.toolkit.empty()) return true;
    const std::string number = soname.substr(std::min(soname.size(), brought.library.size() + 1));
    return number.substr(0, number.find('.')) == distribution.toolkit;
  });
}

}  // namespace

std::optional<NvidiaDistribution> nvidia_distribution(const std::string& soname) {
  for (const ProvidedLibrary& brought : kBrought) {
    if (!soname.starts_with(brought.library)) continue;
    return NvidiaDistribution{std::string(brought.distribution),
                              brought.numbered == Numbered::as_toolkit};
  }
  return std::nullopt;
}

bool is_required_library(const WheelFacts& facts, const std::string& soname) {
  if (!facts.metadata) return false;
  for (const std::string& line : facts.metadata->requires_dist()) {
    if (wheel::is_of_extra(line)) continue;
    const std::string project = wheel::requirement_project(line);
    if (project.starts_with("nvidia-") && brings(distribution_of(project), soname)) return true;
  }
  return false;
}

}  // namespace pinwheel::inspect
