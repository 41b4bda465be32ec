#include "env/missing_library.h"

#include <array>

#include "base/text.h"
#include "project/debian_package.h"

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

/// The part of NVIDIA's packages on PyPI that has a header ("cusparse.h", "nvtx3/nvtx3.hpp") or a
/// library ("cublasLt"), as `environment.toolkit: {pypi: [...]}` names it: "cusparse", or a whole
/// package, "nvidia-cudnn-cu13". Empty for files that are not CUDA's.
std::string cuda_part(std::string_view name) {
  for (const std::string_view ending : {".h", ".hpp", ".cuh"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  for (const NamedPart& row : kNamedParts) {
    if (glob_match(row.names, name)) return std::string(row.part);
  }
  return {};
}

/// The text of a tool's message around the name of a missing file or library.
struct MissingPattern {
  std::string_view before;
  std::string_view after;  ///< must follow the name on the line; empty: the name ends at a space
};

constexpr std::array kMissingPatterns = {
    MissingPattern{"fatal error: ", ": No such file or directory"},
    MissingPattern{"fatal error: '", "' file not found"},
    MissingPattern{"cannot find -l", ""},
    MissingPattern{"unable to find library -l", ""},
    MissingPattern{"ERROR: Dependency \"", "\" not found"},
    MissingPattern{"Could NOT find ", ""},
    MissingPattern{"Could not find a package configuration file provided by \"", "\""},
    MissingPattern{"Package '", "', required by"},
    MissingPattern{"No package '", "' found"},
    MissingPattern{"Could not run ", "-config: "},
    MissingPattern{"No such file or directory: '", "-config'"},
};

/// The name in a line that matches the pattern; empty if it does not.
std::string_view lacked(std::string_view line, const MissingPattern& pattern) {
  const size_t at = line.find(pattern.before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + pattern.before.size());
  const size_t end = pattern.after.empty() ? line.find_first_of(" :") : line.find(pattern.after);
  if (end == std::string_view::npos) return pattern.after.empty() ? line : std::string_view();
  return line.substr(0, end);
}

/// CMake lists the targets that a target links under a heading: "    CUDA::cublas".
constexpr std::string_view kCudaTarget = "CUDA::";

/// The package of a library, or of a header: "libpng-dev" for "png.h", "libcurl4-openssl-dev" for
/// "curl/easy.h".
std::string package_of_name(std::string_view name) {
  const bool header = name.ends_with(".h") || name.ends_with(".hpp");
  return header ? project::debian_package_of_header(name) : project::debian_package(name);
}

}  // namespace

std::optional<MissingLibrary> missing_library(std::string_view output) {
  for (const std::string& text : split(output, '\n')) {
    const std::string_view line = trim(text);
    // CMake prints the same for optional packages, after dashes.
    if (line.starts_with("--")) continue;
    if (line.starts_with(kCudaTarget)) {
      const std::string part = cuda_part(line.substr(kCudaTarget.size()));
      if (!part.empty()) return MissingLibrary{std::string(line), part, LibrarySource::cuda};
    }
    for (const MissingPattern& pattern : kMissingPatterns) {
      const std::string_view name = lacked(line, pattern);
      if (const std::string part = cuda_part(name); !part.empty()) {
        return MissingLibrary{std::string(line), part, LibrarySource::cuda};
      }
      const std::string package = name.empty() ? std::string() : package_of_name(name);
      if (!package.empty()) return MissingLibrary{std::string(line), package};
    }
  }
  // psycopg2 reports it in prose.
  if (output.find("pg_config executable not found") != std::string_view::npos) {
    return MissingLibrary{"pg_config executable not found", project::debian_package("pq")};
  }
  return std::nullopt;
}

}  // namespace pinwheel::env
