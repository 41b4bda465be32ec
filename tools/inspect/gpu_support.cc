#include "inspect/gpu_support.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/parse_integer.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeKind;

/// "90a": major 9, minor 0, suffix 'a'.
struct Capability {
  int major = 0;
  int minor = 0;
  char suffix = '\0';
};

std::optional<Capability> capability_of(std::string_view digits) {
  Capability out;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    out.suffix = digits.back();
    digits.remove_suffix(1);
  }
  const int number = parse_integer(digits).value_or(0);
  if (number < 10) return std::nullopt;
  out.major = number / 10;
  out.minor = number % 10;
  return out;
}

/// The compute capability of a product, "9.0"; nullopt for "gfx942".
std::optional<Capability> capability_of_product(std::string_view architecture) {
  const size_t dot = architecture.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return capability_of(std::string(architecture.substr(0, dot)) +
                       std::string(architecture.substr(dot + 1)));
}

bool is_same(const Capability& code, const Capability& gpu) {
  return code.major == gpu.major && code.minor == gpu.minor;
}

bool is_later_minor(const Capability& code, const Capability& gpu) {
  return code.major == gpu.major && code.minor <= gpu.minor;
}

GpuSupport cuda_support(const Target& target, const Capability& gpu) {
  const std::string_view name = target.architecture;
  const std::optional<Capability> code = capability_of(name.substr(name.find('_') + 1));
  if (!code) return GpuSupport::none;
  const bool ptx = target.kind == CodeKind::ptx;
  bool runs = is_later_minor(*code, gpu) || (ptx && code->major < gpu.major);
  if (code->suffix == 'a') runs = is_same(*code, gpu);
  if (code->suffix == 'f') runs = is_later_minor(*code, gpu);
  if (!runs) return GpuSupport::none;
  return ptx ? GpuSupport::just_in_time : GpuSupport::native;
}

/// Whether an LLVM generic target covers the target.
bool generic_holds(std::string_view generic, std::string_view gfx) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kMembers = {{
      {"gfx9-generic", "gfx900"},     {"gfx9-generic", "gfx902"},
      {"gfx9-generic", "gfx904"},     {"gfx9-generic", "gfx906"},
      {"gfx9-generic", "gfx909"},     {"gfx9-generic", "gfx90c"},
      {"gfx9-4-generic", "gfx942"},   {"gfx9-4-generic", "gfx950"},
      {"gfx10-1-generic", "gfx1010"}, {"gfx10-1-generic", "gfx1011"},
      {"gfx10-1-generic", "gfx1012"}, {"gfx10-1-generic", "gfx1013"},
      {"gfx10-3-generic", "gfx1030"}, {"gfx10-3-generic", "gfx1031"},
      {"gfx10-3-generic", "gfx1032"}, {"gfx10-3-generic", "gfx1034"},
      {"gfx11-generic", "gfx1100"},   {"gfx11-generic", "gfx1101"},
      {"gfx11-generic", "gfx1102"},   {"gfx11-generic", "gfx1103"},
      {"gfx11-generic", "gfx1150"},   {"gfx11-generic", "gfx1151"},
      {"gfx12-generic", "gfx1200"},   {"gfx12-generic", "gfx1201"},
  }};
  return std::find(kMembers.begin(), kMembers.end(), std::pair(generic, gfx)) != kMembers.end();
}

GpuSupport hip_support(const Target& target, std::string_view gfx) {
  const std::string_view name = target.architecture;
  const std::string_view bare = name.substr(0, name.find(':'));
  return bare == gfx || generic_holds(bare, gfx) ? GpuSupport::native : GpuSupport::none;
}

bool is_amd(std::string_view architecture) {
  return architecture.starts_with("gfx");
}

GpuSupport best_of(const DeviceCodeMember& member, std::string_view architecture) {
  GpuSupport best = GpuSupport::none;
  for (const binary::DeviceCode& code : member.code) {
    best = std::min(best, support_by({code.kind, code.architecture}, architecture));
  }
  return best;
}

bool has_code_of(const DeviceCodeMember& member, bool amd) {
  return std::any_of(member.code.begin(), member.code.end(), [amd](const auto& code) {
    return (code.kind == CodeKind::code_object) == amd;
  });
}

}  // namespace

std::string_view to_string(GpuSupport support) {
  if (support == GpuSupport::native) return "native";
  return support == GpuSupport::just_in_time ? "ptx" : "none";
}

GpuSupport support_by(const Target& target, std::string_view architecture) {
  if (target.kind == CodeKind::code_object) return hip_support(target, architecture);
  if (target.kind != CodeKind::cubin && target.kind != CodeKind::ptx) return GpuSupport::none;
  const std::optional<Capability> gpu = capability_of_product(architecture);
  return gpu ? cuda_support(target, *gpu) : GpuSupport::none;
}

std::vector<ProductSupport> product_support(const WheelFacts& facts) {
  std::vector<ProductSupport> out;
  for (const GpuProduct& product : gpu_products()) {
    ProductSupport worst{product, GpuSupport::native};
    for (const DeviceCodeMember& member : facts.device_code) {
      if (!is_to_run(facts, member) || !has_code_of(member, is_amd(product.architecture))) continue;
      const GpuSupport support = best_of(member, product.architecture);
      if (support > worst.support) worst = {product, support};
      if (support == worst.support) worst.files.push_back(member.name);
    }
    if (!worst.files.empty()) out.push_back(std::move(worst));
  }
  return out;
}

namespace {

constexpr std::array<GpuProduct, 44> kProducts = {{
    {"Tesla P100", "6.0"},
    {"GeForce GTX 1080 Ti", "6.1"},
    {"V100", "7.0"},
    {"T4", "7.5"},
    {"GeForce RTX 2080 Ti", "7.5"},
    {"A100", "8.0"},
    {"A30", "8.0"},
    {"A10", "8.6"},
    {"A40", "8.6"},
    {"RTX A6000", "8.6"},
    {"GeForce RTX 3090", "8.6"},
    {"L4", "8.9"},
    {"L40S", "8.9"},
    {"RTX 6000 Ada", "8.9"},
    {"GeForce RTX 4090", "8.9"},
    {"H100", "9.0"},
    {"H200", "9.0"},
    {"GH200", "9.0"},
    {"B200", "10.0"},
    {"GB200", "10.0"},
    {"B300", "10.3"},
    {"GB300", "10.3"},
    {"Jetson AGX Thor", "11.0"},
    {"RTX PRO 6000 Blackwell", "12.0"},
    {"GeForce RTX 5090", "12.0"},
    {"DGX Spark (GB10)", "12.1"},
    {"Radeon VII", "gfx906"},
    {"Instinct MI50", "gfx906"},
    {"Instinct MI100", "gfx908"},
    {"Instinct MI210", "gfx90a"},
    {"Instinct MI250X", "gfx90a"},
    {"Instinct MI300A", "gfx942"},
    {"Instinct MI300X", "gfx942"},
    {"Instinct MI325X", "gfx942"},
    {"Instinct MI355X", "gfx950"},
    {"Radeon RX 6900 XT", "gfx1030"},
    {"Radeon PRO W6800", "gfx1030"},
    {"Radeon RX 7900 XTX", "gfx1100"},
    {"Radeon PRO W7900", "gfx1100"},
    {"Radeon RX 7800 XT", "gfx1101"},
    {"Radeon RX 7600", "gfx1102"},
    {"Ryzen AI Max+ 395", "gfx1151"},
    {"Radeon RX 9060 XT", "gfx1200"},
    {"Radeon RX 9070 XT", "gfx1201"},
}};

}  // namespace

std::span<const GpuProduct> gpu_products() {
  return kProducts;
}

}  // namespace pinwheel::inspect
