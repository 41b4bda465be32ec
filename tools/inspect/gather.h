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

/// One thread per processor, and memory for the data they inflate.
JobLimits usual_limits();

struct GatherOptions {
  JobLimits limits = usual_limits();
  Measure measure = Measure::nothing;
  Detail detail = Detail::usual;
  /// Members that are not there are not read: `WheelFacts::partial` lists them.
  wheel::IsThere is_there = {};
};

/// Reads a wheel once, its members on several threads: the source must be thread-safe if the limits
/// allow more than one. `file_name` has no directories. Kind `check` only when the file is not a
/// zip archive or does not have exactly one dist-info directory; other faults are in the facts.
Result<WheelFacts> gather(std::string file_name, const ports::ByteSource& source,
                          const GatherOptions& options = {});

/// The approximate memory for the names of a library; those of a wheel together are at most
/// `limits::kWheelSymbols`.
uint64_t memory_of(const binary::Elf& elf);

/// A file outside of an archive.
struct LooseFile {
  std::string name;
  std::function<Result<std::unique_ptr<ports::ByteSource>>()> open;
};
/// The same for libraries and objects outside of a wheel: the facts have no wheel metadata. Kind
/// `environment` or `check` when a file cannot be opened.
Result<WheelFacts> gather_files(std::string name, const std::vector<LooseFile>& files,
                                const GatherOptions& options = {});

}  // namespace pinwheel::inspect
