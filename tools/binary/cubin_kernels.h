#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "binary/device_code.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// A kernel of a cubin, and what one launch of it needs.
struct CubinKernel {
  std::string name;                      ///< mangled
  uint64_t code_size = 0;                ///< bytes of its instructions
  uint32_t registers = 0;                ///< per thread; 0 if the cubin does not say
  std::optional<uint32_t> stack = 0;     ///< bytes per thread; nullopt if unknown or not bounded
  std::optional<uint32_t> spills = 0;    ///< instructions; see `read_cubin_kernels`
  uint64_t shared = 0;                   ///< bytes per block that are declared, not dynamic
  uint64_t constant = 0;                 ///< bytes of constant bank 0, with the parameters
  uint32_t barriers = 0;                 ///< named barriers
  std::optional<uint64_t> threads = {};  ///< most per block, by `__launch_bounds__`

  bool operator==(const CubinKernel&) const = default;
};

/// The kernels of a cubin, in the order of its symbols. Kind `check` when it is not a 64-bit
/// little-endian ELF file for CUDA, is corrupt, or is over a limit of `base/limits`.
///
/// A cubin is an ELF file: a kernel is a function with the flag STO_CUDA_ENTRY and the section
/// `.text.NAME`. Its sections `.nv.shared.NAME` and `.nv.constant0.NAME` have the sizes of those
/// memories; from sm_90 on, the first includes the 1024 bytes that CUDA reserves. `.nv.info` and
/// `.nv.info.NAME` have its attributes, whose names cuobjdump shows: EIATTR_REGCOUNT,
/// EIATTR_MIN_STACK_SIZE, EIATTR_FRAME_SIZE, EIATTR_NUM_BARRIERS, EIATTR_MAX_THREADS,
/// EIATTR_REQNTID, EIATTR_ANNOTATIONS. Cubins before those attributes have registers and barriers
/// in the header of `.text.NAME` (maxas describes them).
///
/// Spills: the stack has both spilled registers and local arrays, and no table tells them apart.
/// Newer versions of ptxas mark the instructions that spill and refill: these are counted. Without
/// a stack nothing is spilled. With one, and without any mark in the cubin, the number is unknown.
Result<std::vector<CubinKernel>> read_cubin_kernels(const ports::ByteSource& cubin);

/// The cubin that an entry of a CUDA fat binary contains, decompressed. Kind `check` when it is not
/// a cubin, does not decompress to its declared size, or is larger than `limits::kCubin`.
Result<std::string> read_cubin(const ports::ByteSource& file, const DeviceCode& code);

}  // namespace pinwheel::binary
