#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "repair/edit.h"
#include "repair/repair_plan.h"
#include "wheel/archive.h"
#include "wheel/repack.h"

namespace pinwheel::host {

/// The environment in which libraries are edited.
struct EditPlace {
  const EnvMachine& machine;  ///< the host
  std::string patchelf;
  std::filesystem::path scratch;
};

/// A library before its edit.
struct EditedSource {
  uint64_t size = 0;
  uint64_t packed = 0;  ///< bytes in the wheel; 0 for a library of the machine
  uint32_t mode = 0755;
  std::function<Result<std::string>()> read;
};

/// The source of an edit: a graft's file by member, or else a member of the wheel, which must
/// outlive it.
Result<EditedSource> source_of(const repair::Edit& edit,
                               const std::map<std::string, std::filesystem::path>& grafts,
                               const wheel::WheelArchive& archive);

/// An edit with the library that it changes.
struct EditJob {
  repair::Edit edit;
  EditedSource source;
};

/// Edits libraries with patchelf, once each, in the order of the jobs, and compares the results
/// with the requested edits. All run from one shell, because a process of pinwheel's own for each
/// takes ten times as long. `first` is the number of the first edit, and distinguishes concurrent
/// calls. Kind `environment` if patchelf fails, `check` if a result differs, or compresses much
/// worse than the library did.
Result<std::vector<wheel::NewMember>> edit_libraries(const EditPlace& place,
                                                     std::span<const EditJob> jobs, size_t first);

}  // namespace pinwheel::host
