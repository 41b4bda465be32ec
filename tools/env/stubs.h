#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.h"
#include "binary/shared_object.h"

namespace pinwheel::env {

/// The status that stubs return: cudaErrorNoDevice, in the driver API CUDA_ERROR_NO_DEVICE.
inline constexpr uint16_t kNoDevice = 100;

/// A library of torch: its file name and contents.
struct TorchLibrary {
  std::string file;
  binary::Elf elf;
};

/// Stubs for the NVIDIA libraries that torch's libraries need and `present` lacks, sorted by name.
/// Each defines exactly the versions and symbols that torch needs from it: a wheel that needs
/// others fails to load. Functions return 100, CUDA's "no device", or a message if they return
/// text; data is zeros. A symbol without a version belongs to the library whose prefix its name
/// starts with.
std::vector<binary::SharedObject> stub_libraries(const std::vector<TorchLibrary>& torch,
                                                 const std::set<std::string>& present);

}  // namespace pinwheel::env
