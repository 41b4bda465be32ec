#include "compat/cuda.h"

#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "inspect/driver.h"

namespace pinwheel::compat {
namespace {

/// 13 of "libcudart.so.13", "libcudart.so.13.0.96" and of the copies "libcudart-faf08d9a.so.13" and
/// "libcudart.faf08d9a.so.13"; 0 for everything else.
int runtime_of(std::string_view soname) {
  constexpr std::string_view kNumbered = ".so.";
  const size_t at = soname.find(kNumbered);
  if (!soname.starts_with("libcudart") || at == std::string_view::npos) return 0;
  int major = 0;
  const std::string_view number = soname.substr(at + kNumbered.size());
  std::from_chars(number.data(), number.data() + number.size(), major);
  return major;
}

}  // namespace

CudaNeeds cuda_needs(const inspect::WheelFacts& facts) {
  std::set<int> runtimes;
  for (const inspect::ElfMember& library : facts.libraries) {
    for (const std::string& soname : library.elf.needed) {
      const int major = runtime_of(soname);
      if (major > 0) runtimes.insert(major);
    }
  }
  CudaNeeds out;
  out.runtimes.assign(runtimes.begin(), runtimes.end());
  for (const inspect::DeviceCodeMember& member : facts.device_code) {
    if (!inspect::is_to_run(facts, member)) continue;
    for (const binary::DeviceCode& code : member.code) {
      out.device_code = out.device_code || code.kind != binary::CodeKind::code_object;
    }
  }
  if (runtimes.empty()) return out;
  // Every driver of a major release runs the runtimes of all its minor releases.
  const auto driver = inspect::driver_branch({inspect::GpuStack::cuda, *runtimes.rbegin(), 0});
  if (driver) out.minimum_driver = std::to_string(*driver);
  return out;
}

}  // namespace pinwheel::compat
