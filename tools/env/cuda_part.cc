#include "env/cuda_part.h"

#include <array>

#include "base/text.h"

namespace pinwheel::env {
namespace {

struct NamedPart {
  std::string_view names;  ///< a glob on headers, without their ending, and libraries
  std::string_view part;
};
constexpr std::array kNamedParts = {
    NamedPart{"cublas*", "cublas"},
    NamedPart{"cusparseLt*", "nvidia-cusparselt-cu13"},
    NamedPart{"cusparse*", "cusparse"},
    NamedPart{"cusolver*", "cusolver"},
    NamedPart{"curand*", "curand"},
    NamedPart{"cufft*", "cufft"},
    NamedPart{"cufile*", "cufile"},
    NamedPart{"cupti*", "cupti"},
    NamedPart{"{nvtx3/*,nvToolsExt*,nvtx3interop}", "nvtx"},
    NamedPart{"nvrtc*", "nvrtc"},
    NamedPart{"{nvJitLink*,nvjitlink}", "nvjitlink"},
    NamedPart{"{nvPTXCompiler*,nvptxcompiler*}", "nvptxcompiler"},
    NamedPart{"{nvFatbin*,nvfatbin*}", "nvfatbin"},
    NamedPart{"{npp,npp[cdisi]*}", "npp"},
    NamedPart{"nvjpeg*", "nvjpeg"},
    NamedPart{"{nvml,nvidia-ml}", "nvml"},
    NamedPart{"{cudaProfiler,cuda_profiler_api}", "profiler"},
    NamedPart{"{thrust/*,cub/*,cuda/std/*,cuda/cmath,nv/target}", "cccl"},
    NamedPart{"{cuda,cuda_runtime*,cuda_fp16,cuda_bf16,cuda_fp8,cudart,cuComplex,library_types}",
              "cudart"},
    NamedPart{"cudnn*", "nvidia-cudnn-cu13"},
    NamedPart{"nccl*", "nvidia-nccl-cu13"},
    NamedPart{"nvshmem*", "nvidia-nvshmem-cu13"},
};

}  // namespace

std::string cuda_part(std::string_view name) {
  for (const std::string_view ending : {".h", ".hpp", ".cuh"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  for (const NamedPart& row : kNamedParts) {
    if (glob_match(row.names, name)) return std::string(row.part);
  }
  return {};
}

}  // namespace pinwheel::env
