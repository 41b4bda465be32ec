#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "wheel/archive.h"
#include "wheel/naming.h"
#include "wheel/zip_writer.h"

namespace pinwheel::wheel {

/// What a finished wheel is to be, as values.
struct FinishSpec {
  Naming naming;                                ///< name and version it carries
  std::vector<std::string> platform_tags = {};  ///< "manylinux_2_28_x86_64"; empty keeps its own
  int64_t source_date_epoch = 0;                ///< the time of every member
  std::string requirement = {};  ///< "torch>=2.10": takes the place of what it requires of torch
  std::string record_json = {};  ///< contents of dist-info/pinwheel.json; empty adds none
};

/// A member that finishing left out, and why.
struct Dropped {
  std::string member;
  std::string reason;
};

struct FinishedWheel {
  std::string file_name;
  std::string sha256;  ///< hexadecimal, of the whole file
  uint64_t size = 0;
  std::vector<Dropped> dropped = {};
};

/// The file name of the finished wheel: name, version and platform replaced, build, Python and ABI
/// tags kept. Kind `check` when the built file name is not a wheel's.
Result<std::string> finished_name(const std::string& built_name, const FinishSpec& spec);

/// Rewrites a backend's wheel reproducibly: the bytes depend on the contents of its members and on
/// `spec`, not on when, where or by whom it was built. Members sorted, dist-info last, RECORD very
/// last; one time, modes 0644 and 0755 only; RECORD, WHEEL's tags, METADATA's name and version, the
/// names of the dist-info and data directories as `spec` says. One member at a time is held in
/// memory. Kind `check` when the built wheel contradicts its own RECORD or METADATA; left out are
/// directory entries and signatures that no longer hold, listed in the result.
Result<FinishedWheel> finish(const WheelArchive& built, const FinishSpec& spec,
                             const Output& output);

}  // namespace pinwheel::wheel
