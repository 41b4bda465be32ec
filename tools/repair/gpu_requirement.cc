#include "repair/gpu_requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/text.h"
#include "inspect/gpu_stack.h"
#include "inspect/required_libraries.h"

namespace pinwheel::repair {
namespace {

// From this release on, packages are named without the suffix `-cuN`.
constexpr int kFirstWithoutSuffix = 13;

bool has_own_releases(const std::string& stem) {
  constexpr std::array<std::string_view, 4> kStems = {"cudnn", "nccl", "cusparselt", "nvshmem"};
  return std::find(kStems.begin(), kStems.end(), stem) != kStems.end();
}

/// The first number after `.so.`.
std::optional<int> number_of(const std::string& soname) {
  const size_t at = soname.find(".so.");
  if (at == std::string::npos) return std::nullopt;
  int number = 0;
  const char* const end = soname.data() + soname.size();
  const std::from_chars_result read = std::from_chars(soname.data() + at + 4, end, number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<int> cuda_major(const inspect::WheelFacts& wheel,
                              const std::set<std::string>& needed) {
  for (const std::string& soname : needed) {
    const std::optional<inspect::GpuRelease> release = inspect::release_of_library(soname);
    if (release && release->stack == inspect::GpuStack::cuda) return release->major;
  }
  if (wheel.name) {
    const std::optional<inspect::GpuRelease> promised =
        inspect::promised_release(wheel.name->version);
    if (promised && promised->stack == inspect::GpuStack::cuda) return promised->major;
  }
  for (const inspect::GpuUse& use : inspect::gpu_uses(wheel)) {
    if (use.release.stack == inspect::GpuStack::cuda && use.release.major != 0) {
      return use.release.major;
    }
  }
  return std::nullopt;
}

std::optional<GpuRequirement> gpu_requirement(const std::string& soname, std::optional<int> cuda) {
  const std::optional<inspect::NvidiaDistribution> brought = inspect::nvidia_distribution(soname);
  const std::optional<int> number = number_of(soname);
  if (brought && brought->numbered_as_toolkit) cuda = number;
  if (!brought || !cuda) return std::nullopt;
  const std::string own = fmt::format("nvidia/{}/lib", replace_all(brought->stem, "-", "_"));
  if (*cuda < kFirstWithoutSuffix || has_own_releases(brought->stem)) {
    return GpuRequirement{fmt::format("nvidia-{}-cu{}", brought->stem, *cuda), own};
  }
  // The version of a package begins with the number of its library; cuFile's number stays 0.
  const std::string range =
      number && *number > 0 ? fmt::format(">={},<{}", *number, *number + 1) : "";
  return GpuRequirement{"nvidia-" + brought->stem + range, fmt::format("nvidia/cu{}/lib", *cuda)};
}

}  // namespace pinwheel::repair
