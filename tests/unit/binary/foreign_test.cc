#include "binary/foreign.h"

#include "base/bytes.h"
#include "unit/catch.h"

namespace pinwheel::binary {
namespace {

enum class Order { little, big };

/// The beginning of an ELF file.
std::string elf(int bits, Order order, uint16_t type, uint16_t machine, char system = 0) {
  std::string out =
      "\x7f"
      "ELF";
  out += static_cast<char>(bits == 64 ? 2 : 1);
  out += static_cast<char>(order == Order::big ? 2 : 1);
  out += '\x01';
  out += system;
  out.append(8, '\0');
  for (const uint16_t field : {type, machine}) {
    const uint16_t swapped = static_cast<uint16_t>((field >> 8U) | ((field & 0xffU) << 8U));
    append_le<uint16_t>(out, order == Order::big ? swapped : field);
  }
  return out + std::string(44, '\0');
}

std::string form_of(const std::string& bytes) {
  return foreign_binary(bytes).value_or("");
}

TEST_CASE("programs and libraries of other systems and processors are named") {
  std::string windows = "MZ" + std::string(0x3a, '\0');
  append_le<uint32_t>(windows, 0x40);
  windows += std::string("PE\0\0", 4);
  CHECK(form_of(windows) == "PE");
  CHECK(form_of("MZ, a text") == "");
  CHECK(form_of("\xcf\xfa\xed\xfe" + std::string(28, '\0')) == "Mach-O");
  CHECK(form_of(std::string("\xca\xfe\xba\xbe\0\0\0\x02", 8)) == "Mach-O");
  CHECK(form_of(std::string("\xca\xfe\xba\xbe\0\0\0\x41", 8)) == "");  // a class of Java
  CHECK(form_of(std::string("\0asm\x01\0\0\0", 8)) == "WebAssembly");
  CHECK(form_of(elf(64, Order::little, 3, 243)) == "ELF for riscv64");
  CHECK(form_of(elf(64, Order::little, 3, 21)) == "ELF for ppc64le");
  CHECK(form_of(elf(64, Order::big, 3, 22)) == "ELF for s390x");
  CHECK(form_of(elf(32, Order::little, 3, 3)) == "ELF for i686");
  CHECK(form_of(elf(32, Order::little, 3, 40)) == "ELF for armv7l");
  CHECK(form_of(elf(64, Order::little, 3, 999)) == "ELF for machine 999");
  CHECK(form_of(elf(64, Order::little, 3, 62, 9)) == "ELF for FreeBSD");
}

TEST_CASE("files that are read, GPU code, objects and other files are not foreign") {
  CHECK(form_of(elf(64, Order::little, 3, 62)) == "");
  CHECK(form_of(elf(64, Order::little, 2, 183)) == "");
  CHECK(form_of(elf(64, Order::little, 3, 62, 3)) == "");
  CHECK(form_of(elf(64, Order::little, 2, 190)) == "");
  CHECK(form_of(elf(64, Order::little, 3, 224, 64)) == "");
  CHECK(form_of(elf(64, Order::little, 1, 243)) == "");
  CHECK(form_of("\x7f"
                "ELF") == "");
  CHECK(form_of("") == "");
}

TEST_CASE("a platform tag is for one form of binaries") {
  CHECK(is_for_platform("PE", "win_arm64"));
  CHECK_FALSE(is_for_platform("PE", "macosx_11_0_arm64"));
  CHECK(is_for_platform("Mach-O", "macosx_11_0_universal2"));
  CHECK(is_for_platform("Mach-O", "ios_13_0_arm64_iphoneos"));
  CHECK(is_for_platform("WebAssembly", "pyemscripten_2026_0_wasm32"));
  CHECK(is_for_platform("ELF for riscv64", "manylinux_2_39_riscv64"));
  CHECK(is_for_platform("ELF for armv7l", "linux_armv6l"));
  CHECK(is_for_platform("ELF for i686", "manylinux1_i686"));
  CHECK(is_for_platform("ELF for Android", "android_24_arm64_v8a"));
  CHECK_FALSE(is_for_platform("ELF for riscv64", "manylinux_2_39_x86_64"));
  CHECK_FALSE(is_for_platform("ELF for ppc64le", "manylinux2014_ppc64"));
}

}  // namespace
}  // namespace pinwheel::binary
