#include "inspect/gpu_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "matrix/axis_value.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/specifier.h"

namespace pinwheel::inspect {
namespace {

/// The number at the beginning of the text.
std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional<int>(number) : std::nullopt;
}

/// The release for "cuda" and "13.0"; nullopt for a family that this table does not have.
std::optional<GpuRelease> release_of(const matrix::Compute& compute) {
  if (compute.family == "cpu") return GpuRelease{};
  if (compute.family != "cuda" && compute.family != "rocm") return std::nullopt;
  GpuRelease out{compute.family == "cuda" ? GpuStack::cuda : GpuStack::rocm};
  const std::optional<int> major = leading_number(compute.version);
  if (!major) return std::nullopt;
  out.major = *major;
  const size_t dot = compute.version.find('.');
  if (dot != std::string::npos) {
    out.minor = leading_number(std::string_view(compute.version).substr(dot + 1));
  }
  return out;
}

constexpr std::array<std::string_view, 6> kCudaRuntime = {"libcudart.so.",    "libcublas.so.",
                                                          "libcublasLt.so.",  "libnvrtc.so.",
                                                          "libnvJitLink.so.", "libcupti.so."};

bool names_cuda(std::string_view soname) {
  constexpr std::array<std::string_view, 9> kNames = {
      "libtorch_cuda", "libc10_cuda", "libcuda.so",  "libcudnn",  "libcufft.so",
      "libcurand.so",  "libcusparse", "libcusolver", "libnccl.so"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [soname](std::string_view name) { return soname.starts_with(name); });
}

bool names_rocm(std::string_view soname) {
  constexpr std::array<std::string_view, 8> kNames = {
      "libtorch_hip", "libc10_hip", "libhipblas",       "librocblas",
      "libMIOpen",    "librccl.so", "libhsa-runtime64", "libhiprtc"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [soname](std::string_view name) { return soname.starts_with(name); });
}

void add_needed(const ElfMember& library, std::vector<GpuUse>& out) {
  for (const std::string& soname : library.elf.needed) {
    std::optional<GpuRelease> release = release_of_library(soname);
    if (!release && names_cuda(soname)) release = GpuRelease{GpuStack::cuda};
    if (!release && names_rocm(soname)) release = GpuRelease{GpuStack::rocm};
    if (release) out.push_back({*release, library.name, "needs " + soname});
  }
}

void add_code(const DeviceCodeMember& member, std::vector<GpuUse>& out) {
  const auto is_hip = [](const binary::DeviceCode& code) {
    return code.kind == binary::CodeKind::code_object;
  };
  if (std::any_of(member.code.begin(), member.code.end(), is_hip)) {
    out.push_back(
        {{GpuStack::rocm}, member.name, "has device code for AMD GPUs", GpuUseKind::device_code});
  }
  if (!std::all_of(member.code.begin(), member.code.end(), is_hip)) {
    out.push_back({{GpuStack::cuda},
                   member.name,
                   "has device code for NVIDIA GPUs",
                   GpuUseKind::device_code});
  }
}

/// The release in the last part of a distribution's name, "cu12" of "nvidia-cublas-cu12".
std::optional<GpuRelease> release_of_suffix(std::string_view project) {
  const size_t dash = project.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto compute = matrix::compute_of_label(project.substr(dash + 1));
  return compute ? release_of(*compute) : std::nullopt;
}

/// The only major release of CUDA that the specifiers admit.
std::optional<GpuRelease> admitted_cuda(const pep::SpecifierSet& specifiers) {
  constexpr int kOldest = 10;
  constexpr int kNewest = 30;
  constexpr int kMinors = 10;
  std::optional<GpuRelease> found;
  for (int major = kOldest; major <= kNewest; ++major) {
    bool admitted = false;
    for (int minor = 0; minor < kMinors && !admitted; ++minor) {
      for (const char* patch : {"0", "99"}) {
        const auto version = pep::parse_version(fmt::format("{}.{}.{}", major, minor, patch));
        admitted = admitted || (version && pep::satisfies(*version, specifiers));
      }
    }
    if (!admitted) continue;
    if (found) return std::nullopt;
    found = GpuRelease{GpuStack::cuda, major};
  }
  return found;
}

/// Distributions without a suffix since CUDA 13 whose versions are those of the toolkit.
constexpr std::array<std::string_view, 4> kNumberedAsToolkit = {
    "nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "nvidia-cuda-cupti", "nvidia-nvjitlink"};

/// A requirement of an extra is a choice of the user.
void add_requirement(const std::string& file, const std::string& line, std::vector<GpuUse>& out) {
  const Result<pep::Requirement> requirement = pep::parse_requirement(line);
  if (!requirement || requirement->marker.find("extra") != std::string::npos) return;
  const std::string project = pep::normalize_name(requirement->name);
  if (!project.starts_with("nvidia-")) return;
  std::optional<GpuRelease> release = release_of_suffix(project);
  std::string evidence = "requires " + project;
  if (!release && std::ranges::find(kNumberedAsToolkit, project) != kNumberedAsToolkit.end()) {
    release = admitted_cuda(requirement->specifiers);
    evidence += pep::to_string(requirement->specifiers);
  }
  if (!release) return;
  const GpuUseKind kind =
      requirement->marker.empty() ? GpuUseKind::requirement : GpuUseKind::marked_requirement;
  out.push_back({*release, file, std::move(evidence), kind});
}

}  // namespace

std::string to_string(const GpuRelease& release) {
  if (release.stack == GpuStack::cpu) return "CPU";
  std::string out = release.stack == GpuStack::cuda ? "CUDA" : "ROCm";
  if (release.major != 0) out += fmt::format(" {}", release.major);
  if (release.minor) out += fmt::format(".{}", *release.minor);
  return out;
}

std::optional<GpuRelease> promised_release(const pep::Version& version) {
  const std::string text = pep::to_string(version);
  const size_t plus = text.find('+');
  if (plus == std::string::npos) return std::nullopt;
  const std::optional<matrix::Compute> compute =
      matrix::compute_in_local_version(std::string_view(text).substr(plus + 1));
  return compute ? release_of(*compute) : std::nullopt;
}

std::optional<GpuRelease> release_in_name(std::string_view distribution) {
  return release_of_suffix(pep::normalize_name(distribution));
}

std::optional<GpuRelease> release_of_library(std::string_view soname) {
  for (const std::string_view prefix : kCudaRuntime) {
    if (!soname.starts_with(prefix)) continue;
    const std::optional<int> major = leading_number(soname.substr(prefix.size()));
    if (major) return GpuRelease{GpuStack::cuda, *major};
  }
  constexpr std::string_view kHip = "libamdhip64.so.";
  if (!soname.starts_with(kHip)) return std::nullopt;
  const std::optional<int> major = leading_number(soname.substr(kHip.size()));
  return major ? std::optional(GpuRelease{GpuStack::rocm, *major}) : std::nullopt;
}

std::vector<GpuUse> gpu_uses(const WheelFacts& facts) {
  std::vector<GpuUse> out;
  for (const ElfMember& library : facts.libraries) add_needed(library, out);
  for (const DeviceCodeMember& member : facts.device_code) {
    if (is_to_run(facts, member)) add_code(member, out);
  }
  if (!facts.metadata) return out;
  for (const std::string& line : facts.metadata->requires_dist()) {
    add_requirement(facts.dist_info + "/METADATA", line, out);
  }
  return out;
}

}  // namespace pinwheel::inspect
