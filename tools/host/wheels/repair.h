#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/wheels/library_search.h"
#include "inspect/wheel_facts.h"
#include "plan/outcome.h"
#include "repair/outcome.h"

namespace pinwheel::host {

/// The request for a repair.
struct RepairRequest {
  std::filesystem::path wheel;
  std::string platform = {};              ///< "manylinux_2_28"; empty: the oldest possible
  std::vector<std::string> exclude = {};  ///< sonames or globs that others provide
};

/// A decided repair, and the inputs for performing it.
struct PlannedRepair {
  inspect::WheelFacts facts;
  repair::Outcome outcome;
  std::map<std::string, std::filesystem::path> copies = {};  ///< as in `FoundLibraries`
  std::set<std::string> needed = {};  ///< names that its libraries and their grafts need
};

/// Reads the wheel, searches for libraries, decides. Kind `check`, with all unrepairable faults,
/// `usage` for an unknown platform.
Result<PlannedRepair> plan_wheel_repair(const LibraryPlace& place, const RepairRequest& request);

/// Performs a repair: edits libraries with pinwheel's own patchelf, on the host, and writes the
/// wheel into `output` atomically; a wheel that needs no repair is copied. `epoch` is the timestamp
/// of every member. Added requirements are looked up on the index first. Kind `environment` if
/// patchelf cannot be installed or fails, `check` if an edited library differs from the request.
Result<plan::Output> repair_wheel(const LibraryPlace& place, const RepairRequest& request,
                                  const PlannedRepair& planned, const std::filesystem::path& output,
                                  int64_t epoch);

}  // namespace pinwheel::host
