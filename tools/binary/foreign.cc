#include "binary/foreign.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "binary/elf.h"

namespace pinwheel::binary {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kElf = "ELF for ";

bool is_portable_executable(std::string_view bytes) {
  constexpr uint64_t kHeaderAt = 0x3c;
  if (!bytes.starts_with("MZ")) return false;
  const uint64_t at = load_le<uint32_t>(bytes, kHeaderAt).value_or(0);
  return at != 0 && at < bytes.size() && bytes.substr(at).starts_with("PE\0\0"sv);
}

bool is_mach_o(std::string_view bytes) {
  constexpr std::array<std::string_view, 4> kThin = {"\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf",
                                                     "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe"};
  if (std::any_of(kThin.begin(), kThin.end(),
                  [bytes](std::string_view magic) { return bytes.starts_with(magic); })) {
    return true;
  }
  // Java's classes have the same magic; they have their version where Mach-O has the number of
  // architectures.
  constexpr char kMostArchitectures = 20;
  const bool fat =
      bytes.starts_with("\xca\xfe\xba\xbe"sv) || bytes.starts_with("\xca\xfe\xba\xbf"sv);
  return fat && bytes.size() > 7 && bytes.substr(4, 3) == "\0\0\0"sv && bytes[7] > 0 &&
         bytes[7] < kMostArchitectures;
}

enum class ByteOrder { little, big };

uint16_t half_word(std::string_view bytes, uint64_t at, ByteOrder order) {
  const uint16_t value = load_le<uint16_t>(bytes, at).value_or(0);
  if (order == ByteOrder::little) return value;
  return static_cast<uint16_t>((value >> 8U) | ((value & 0xffU) << 8U));
}

/// The processor as platform tags name it.
std::string processor(uint16_t machine, int bits, ByteOrder order) {
  struct Known {
    uint16_t machine;
    int bits;
    ByteOrder order;
    std::string_view name;
  };
  constexpr std::array<Known, 12> kKnown = {{{3, 32, ByteOrder::little, "i686"},
                                             {40, 32, ByteOrder::little, "armv7l"},
                                             {21, 64, ByteOrder::little, "ppc64le"},
                                             {21, 64, ByteOrder::big, "ppc64"},
                                             {20, 32, ByteOrder::big, "ppc"},
                                             {22, 64, ByteOrder::big, "s390x"},
                                             {243, 64, ByteOrder::little, "riscv64"},
                                             {243, 32, ByteOrder::little, "riscv32"},
                                             {258, 64, ByteOrder::little, "loongarch64"},
                                             {62, 64, ByteOrder::little, "x86_64"},
                                             {183, 64, ByteOrder::little, "aarch64"},
                                             {62, 32, ByteOrder::little, "x32"}}};
  for (const Known& each : kKnown) {
    if (each.machine == machine && each.bits == bits && each.order == order) {
      return std::string(each.name);
    }
  }
  return machine_name(machine);
}

std::optional<std::string> foreign_elf(std::string_view bytes) {
  constexpr uint16_t kExecutable = 2;
  constexpr uint16_t kShared = 3;
  constexpr uint16_t kCuda = 190;
  constexpr uint16_t kAmdGpu = 224;
  if (bytes.size() < 20) return std::nullopt;
  const ByteOrder order = bytes[5] == 2 ? ByteOrder::big : ByteOrder::little;
  const int bits = bytes[4] == 2 ? 64 : 32;
  const uint16_t type = half_word(bytes, 16, order);
  const uint16_t machine = half_word(bytes, 18, order);
  if ((type != kExecutable && type != kShared) || machine == kCuda || machine == kAmdGpu) {
    return std::nullopt;
  }
  constexpr std::array<std::pair<char, std::string_view>, 4> kSystems = {
      {{2, "NetBSD"}, {6, "Solaris"}, {9, "FreeBSD"}, {12, "OpenBSD"}}};
  for (const auto& [number, name] : kSystems) {
    if (bytes[7] == number) return std::string(kElf) + std::string(name);
  }
  std::string name = processor(machine, bits, order);
  if (name == "x86_64" || name == "aarch64") return std::nullopt;
  return std::string(kElf) + name;
}

}  // namespace

std::optional<std::string> foreign_binary(std::string_view first_bytes) {
  if (is_elf(first_bytes)) return foreign_elf(first_bytes);
  if (is_portable_executable(first_bytes)) return "PE";
  if (is_mach_o(first_bytes)) return "Mach-O";
  if (first_bytes.starts_with("\0asm"sv)) return "WebAssembly";
  return std::nullopt;
}

bool is_for_platform(std::string_view form, std::string_view platform) {
  if (form == "PE") return platform.starts_with("win");
  if (form == "Mach-O") return platform.starts_with("macosx_") || platform.starts_with("ios_");
  if (form == "WebAssembly") {
    return platform.ends_with("wasm32") || platform.ends_with("wasm64");
  }
  if (!form.starts_with(kElf)) return false;
  const std::string_view name = form.substr(kElf.size());
  if (name == "Android") return platform.starts_with("android_");
  if (platform.ends_with(std::string("_").append(name))) return true;
  if (name == "armv7l") return platform.ends_with("_armv6l") || platform.ends_with("_armv8l");
  if (name == "i686") return platform.ends_with("_i386") || platform.ends_with("_i586");
  constexpr std::string_view kSystems = "FreeBSD NetBSD OpenBSD Solaris";
  return kSystems.find(name) != std::string_view::npos &&
         platform.find("linux") == std::string_view::npos;
}

}  // namespace pinwheel::binary
