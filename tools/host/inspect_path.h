#pragma once
#include <filesystem>

#include "base/result.h"
#include "inspect/difference.h"
#include "inspect/gather.h"

namespace pinwheel::host {

/// What a path holds: a wheel, a shared library, or a directory with ELF files somewhere in it. An
/// error says of which path it speaks.
Result<inspect::WheelFacts> inspect_path(const std::filesystem::path& path,
                                         const inspect::GatherOptions& options);

/// What a wheel holds. An error says of which path it speaks.
Result<inspect::WheelFacts> inspect_wheel(const std::filesystem::path& path,
                                          const inspect::GatherOptions& options = {});

struct ComparedWheels {
  inspect::WheelFacts old_wheel;
  inspect::WheelFacts new_wheel;
  inspect::WheelDifference difference;
};
/// What changed from one wheel to another.
Result<ComparedWheels> compare_wheels(const std::filesystem::path& old_path,
                                      const std::filesystem::path& new_path);

}  // namespace pinwheel::host
