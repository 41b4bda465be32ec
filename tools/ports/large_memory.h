#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace pinwheel::ports {

/// Writable bytes for one algorithm that needs all of them at an address.
class LargeMemory {
 public:
  LargeMemory() = default;
  virtual ~LargeMemory() = default;
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory& operator=(const LargeMemory&) = delete;

  virtual char* data() = 0;
  virtual uint64_t size() const = 0;
};

/// Allocates memory that may be larger than the machine's, because files back it.
class LargeMemories {
 public:
  LargeMemories() = default;
  virtual ~LargeMemories() = default;
  LargeMemories(const LargeMemories&) = delete;
  LargeMemories& operator=(const LargeMemories&) = delete;

  /// `bytes` above 0, of unspecified contents. Kind `environment` if there is no room.
  virtual Result<std::unique_ptr<LargeMemory>> make(uint64_t bytes) = 0;
};

}  // namespace pinwheel::ports
