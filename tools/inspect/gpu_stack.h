#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/wheel_facts.h"
#include "pep/version.h"

namespace pinwheel::inspect {

enum class GpuStack { cpu, cuda, rocm };

/// "CUDA 13.0", "CUDA 12" when the minor release is unspecified, "CPU".
struct GpuRelease {
  GpuStack stack = GpuStack::cpu;
  int major = 0;
  std::optional<int> minor = std::nullopt;

  auto operator<=>(const GpuRelease&) const = default;
};
std::string to_string(const GpuRelease& release);

/// The release that the label in a local version names, as `matrix::compute_in_local_version` reads
/// it: "cpu", "cu130", "pt213cu130", "rocm6.4"; nullopt without one, and for another family.
std::optional<GpuRelease> promised_release(const pep::Version& version);

/// The release that a library is part of: CUDA 12 for "libcudart.so.12"; nullopt for others. Only
/// libraries numbered like their toolkit count.
std::optional<GpuRelease> release_of_library(std::string_view soname);

/// The release that the name of a distribution ends with: CUDA 13.0 for "demo-cu130", CUDA 12 for
/// "demo-cu12", the CPU for "demo-cpu"; nullopt for others.
std::optional<GpuRelease> release_in_name(std::string_view distribution);

/// How a wheel depends on a release.
enum class GpuUseKind { library, device_code, requirement, marked_requirement };

/// A dependency on a particular release.
struct GpuUse {
  GpuRelease release;
  std::string file;      ///< the member
  std::string evidence;  ///< "needs libcudart.so.12"
  GpuUseKind kind = GpuUseKind::library;
};

/// Every use of a GPU stack: libraries of a release, libraries that only identify the stack (major
/// 0), device code (major 0), requirements on NVIDIA's distributions for a release
/// ("nvidia-cublas-cu12", "nvidia-cuda-runtime>=13,<14") outside extras, with or without a marker.
std::vector<GpuUse> gpu_uses(const WheelFacts& facts);

}  // namespace pinwheel::inspect
