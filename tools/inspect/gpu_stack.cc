#include "inspect/gpu_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <variant>

namespace pinwheel::inspect {
namespace {

/// The number at the beginning of the text.
std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional<int>(number) : std::nullopt;
}

/// "130" is 13.0, "118" 11.8, "12" any 12.
GpuRelease cuda_release(int number) {
  if (number < 100) return {GpuStack::cuda, number, std::nullopt};
  return {GpuStack::cuda, number / 10, number % 10};
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
    out.push_back({{GpuStack::rocm}, member.name, "has device code for AMD GPUs"});
  }
  if (!std::all_of(member.code.begin(), member.code.end(), is_hip)) {
    out.push_back({{GpuStack::cuda}, member.name, "has device code for NVIDIA GPUs"});
  }
}

/// "nvidia-cublas-cu12" is for CUDA 12.
void add_requirement(const std::string& file, const std::string& line, std::vector<GpuUse>& out) {
  const std::string project = wheel::requirement_project(line);
  const size_t at = project.rfind("-cu");
  if (!project.starts_with("nvidia-") || at == std::string::npos) return;
  const std::optional<int> number = leading_number(std::string_view(project).substr(at + 3));
  if (number) out.push_back({cuda_release(*number), file, "requires " + project});
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
  for (size_t i = 0; i < version.local.size(); ++i) {
    const auto* const text = std::get_if<std::string>(&version.local[i]);
    if (text == nullptr) continue;
    const std::string_view segment = *text;
    if (segment == "cpu") return GpuRelease{};
    if (segment.starts_with("cu")) {
      const std::optional<int> number = leading_number(segment.substr(2));
      if (number) return cuda_release(*number);
    }
    if (!segment.starts_with("rocm")) continue;
    const std::optional<int> major = leading_number(segment.substr(4));
    if (!major) continue;
    GpuRelease out{GpuStack::rocm, *major};
    const uint64_t* const minor =
        i + 1 < version.local.size() ? std::get_if<uint64_t>(&version.local[i + 1]) : nullptr;
    if (minor != nullptr && *minor < 100) out.minor = static_cast<int>(*minor);
    return out;
  }
  return std::nullopt;
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
