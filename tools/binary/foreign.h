#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::binary {

/// The type of a program or library for another system or processor, which the readers of this
/// directory do not read: "PE", "Mach-O", "WebAssembly", "ELF for riscv64". nullopt for x86_64 and
/// aarch64 ELF of Linux, for GPU code, objects, and files of other formats. `first_bytes`: at least
/// 1 KB, unless the file is shorter.
std::optional<std::string> foreign_binary(std::string_view first_bytes);

/// Whether a wheel with that platform tag is for the type that `foreign_binary` returned: "PE" for
/// "win_amd64", "ELF for ppc64le" for "manylinux_2_17_ppc64le".
bool is_for_platform(std::string_view form, std::string_view platform);

}  // namespace pinwheel::binary
