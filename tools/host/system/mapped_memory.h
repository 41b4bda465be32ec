#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "ports/large_memory.h"

namespace pinwheel::host {

/// Large memory in unnamed files of a directory, which must have room for all of it. Only a small
/// part is resident: written data goes to the file within milliseconds, and is loaded again when it
/// is read.
class MappedMemories final : public ports::LargeMemories {
 public:
  explicit MappedMemories(std::filesystem::path directory);

  Result<std::unique_ptr<ports::LargeMemory>> make(uint64_t bytes) override;

 private:
  std::filesystem::path directory_;
};

}  // namespace pinwheel::host
