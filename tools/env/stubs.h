#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.h"
#include "binary/shared_object.h"

namespace pinwheel::env {

/// What a stub answers: cudaErrorNoDevice, which CUDA's driver calls CUDA_ERROR_NO_DEVICE.
inline constexpr uint16_t kNoDevice = 100;

/// A library of torch: its file's name and what it says.
struct TorchLibrary {
  std::string file;
  binary::Elf elf;
};

/// Libraries that stand in for those of NVIDIA's that torch's own libraries need and `present`
/// lacks, sorted by name. Each defines every version and symbol that they ask of it, and nothing
/// else: what only another library needs is not made up, so a wheel that wants it fails to load.
/// Functions give 100, CUDA's "no device", or say so in words where a text is what they give; data
/// is zeros. A symbol without a version belongs to the library whose prefix its name begins with.
std::vector<binary::SharedObject> stub_libraries(const std::vector<TorchLibrary>& torch,
                                                 const std::set<std::string>& present);

}  // namespace pinwheel::env
