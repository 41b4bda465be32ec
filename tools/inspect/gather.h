#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/result.h"
#include "inspect/read_member.h"
#include "inspect/wheel_facts.h"
#include "ports/byte_source.h"

namespace pinwheel::inspect {

/// As many threads as there are processors, and memory for what they inflate.
JobLimits usual_limits();

struct GatherOptions {
  JobLimits limits = usual_limits();
  Measure measure = Measure::nothing;
};

/// Reads a wheel once, its members on several threads: the source must allow that where the limits
/// have more than one. `file_name` has no directories. Kind `check` only when the file is no zip
/// archive or has no single dist-info directory; what else is broken is in the facts.
Result<WheelFacts> gather(std::string file_name, const ports::ByteSource& source,
                          const GatherOptions& options = {});

/// A file that lies outside any archive.
struct LooseFile {
  std::string name;
  std::function<Result<std::unique_ptr<ports::ByteSource>>()> open;
};
/// The same for libraries and objects by themselves: all that a wheel says of itself is absent.
/// Kind `environment` or `check` when a file cannot be opened.
Result<WheelFacts> gather_files(std::string name, const std::vector<LooseFile>& files,
                                const JobLimits& limits = usual_limits());

}  // namespace pinwheel::inspect
