#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "repair/edit.h"
#include "repair/repair_plan.h"
#include "wheel/archive.h"
#include "wheel/repack.h"

namespace pinwheel::host {

/// Where libraries are edited.
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

/// The source of an edit: a graft's copy, or a member of the wheel, which must outlive it.
Result<EditedSource> source_of(const repair::Edit& edit, const std::vector<repair::Graft>& grafts,
                               const std::map<std::string, std::filesystem::path>& copies,
                               const wheel::WheelArchive& archive);

/// Edits a library with patchelf and compares the result with what was asked for; `number`
/// distinguishes concurrent edits. Kind `environment` if patchelf fails, `check` if the result
/// differs, or compresses much worse than the library did.
Result<wheel::NewMember> edit_library(const EditPlace& place, const repair::Edit& edit,
                                      const EditedSource& source, size_t number);

}  // namespace pinwheel::host
