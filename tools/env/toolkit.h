#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::env {

/// A CUDA or ROCm toolkit in a prefix of its own.
struct Toolkit {
  std::string name;      ///< "cuda/13.0", "rocm/5.2"
  std::string prefix;    ///< value of CUDA_HOME or ROCM_PATH, except for a distribution's /usr
  std::string compiler;  ///< nvcc or hipcc
  std::string release;   ///< exact, "13.0.88"
  /// For builds: CUDA_HOME, CUDACXX, LIBRARY_PATH, ROCM_PATH, HIP_PLATFORM. `PATH` is prepended to
  /// the user's.
  std::map<std::string, std::string> variables = {};

  bool operator==(const Toolkit&) const = default;
};

/// The exact release in the output of `nvcc --version`, "13.0.88".
std::optional<std::string> parse_nvcc_release(std::string_view output);
/// The exact release in the output of `hipcc --version` with HIP_PLATFORM=amd, "5.2.21153".
std::optional<std::string> parse_hip_release(std::string_view output);
/// "13.0" from "13.0.88".
std::string major_minor(std::string_view release);

/// Whether pinwheel finds or makes toolkits for the compute: those of CUDA and ROCm. Others are
/// part of the machine, the image or the packages of the environment.
bool has_toolkit(const std::string& compute);

/// "cuda/13.0" from "cuda/13.0.1": the name of toolkits for this compute, by major and minor
/// version; they may have any patch level.
std::string toolkit_name(const std::string& compute);

/// The toolkit in a prefix, found or made.
Toolkit cuda_toolkit(const std::string& prefix, const std::string& release);
Toolkit rocm_toolkit(const std::string& prefix, const std::string& hipcc,
                     const std::string& release);

/// A toolkit's include directories: in its prefix, or in its target directory, as conda has them.
/// `machine` is "x86_64".
std::vector<std::string> include_directories(const Toolkit& toolkit, const std::string& machine);

enum class CompilerFamily { gcc, clang, other };
struct HostCompiler {
  std::string path;
  CompilerFamily family = CompilerFamily::other;
  int major = 0;
  std::string version = {};  ///< "12.2.0"
};
/// Parses the first lines of `c++ --version`; the family is `other` if it is neither gcc nor clang.
HostCompiler parse_host_compiler(const std::string& path, std::string_view output);

/// Inclusive major versions; 0 means that this family has no known bound.
struct CompilerRange {
  int gcc_min = 0;
  int gcc_max = 0;
  int clang_max = 0;
};
/// The host compilers of a CUDA release: the limits in the toolkit's own `crt/host_config.h` if its
/// text is given, else NVIDIA's table (CUDA Installation Guide for Linux, host compiler support
/// policy). No limits for a release that neither covers.
CompilerRange supported_compilers(const std::string& cuda_version, std::string_view host_config);

/// `environment` if the toolkit rejects the compiler; names the supported range.
Result<void> check_compiler(const HostCompiler& compiler, const CompilerRange& range,
                            const std::string& toolkit);

}  // namespace pinwheel::env
