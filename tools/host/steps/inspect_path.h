#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "inspect/difference.h"
#include "inspect/gather.h"

namespace pinwheel::host {

/// A file to inspect.
struct InputFile {
  std::filesystem::path path;
  std::string name = {};  ///< what it is called; empty: as its path says
};

/// What a path holds: a wheel, a shared library, an object, or a directory with ELF files somewhere
/// in it. An error says of which path it speaks.
Result<inspect::WheelFacts> inspect_path(const InputFile& file,
                                         const inspect::GatherOptions& options);

/// What a wheel holds. An error says of which path it speaks.
Result<inspect::WheelFacts> inspect_wheel(const InputFile& file,
                                          const inspect::GatherOptions& options = {});

struct ComparedWheels {
  inspect::WheelFacts old_wheel;
  inspect::WheelFacts new_wheel;
  inspect::WheelDifference difference;
};
/// What changed from one wheel to another.
Result<ComparedWheels> compare_wheels(const InputFile& old_file, const InputFile& new_file);

}  // namespace pinwheel::host
