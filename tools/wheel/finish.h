#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "ports/large_memory.h"
#include "wheel/archive.h"
#include "wheel/contents.h"
#include "wheel/naming.h"
#include "wheel/zip_writer.h"

namespace pinwheel::wheel {

/// The properties of a finished wheel.
struct FinishSpec {
  Naming naming;                                ///< its name, its version and its pins
  std::vector<std::string> platform_tags = {};  ///< "manylinux_2_28_x86_64"; empty: unchanged
  int64_t source_date_epoch = 0;                ///< the timestamp of every member
  std::string requirement = {};  ///< "torch>=2.10": replaces its requirement on torch
  std::string record_json = {};  ///< contents of dist-info/pinwheel.json; empty: no such file
  std::map<std::string, std::string> requirements = {};  ///< Requires-Dist before and after
  std::string variant = {};       ///< its label as a wheel variant; empty: unchanged
  std::string variant_json = {};  ///< contents of dist-info/variant.json; empty: unchanged
};

/// A member that was dropped, and why.
struct Dropped {
  std::string member;
  std::string reason;
};

struct FinishedWheel {
  std::string file_name;
  std::string sha256;  ///< hexadecimal, of the whole file
  uint64_t size = 0;
  std::vector<Dropped> dropped = {};
  WheelContents built = {};  ///< the files of the wheel that was finished, as they were read
};

/// The file name of the finished wheel: name, version and platform tags are replaced, Python and
/// ABI tags are kept, and so is the build tag if `spec` has no build number. Kind `check` when
/// `built_name` is not a wheel file name, or that of another variant.
Result<std::string> finished_name(const std::string& built_name, const FinishSpec& spec);

/// Kind `check` if the wheel unpacks to more than may be recompressed. Must be called before
/// `finish`.
Done check_finishable(const WheelArchive& built);

/// Rewrites a backend's wheel reproducibly: the bytes depend only on the contents of its members
/// and on `spec`, not on when, where or by whom it was built. Members are sorted, dist-info last,
/// RECORD at the very end; one timestamp, modes 0644 and 0755 only; RECORD, the tags and the build
/// number in WHEEL, name and version in METADATA, and the names of the dist-info and data
/// directories follow `spec`. One member at a time is held, a large one in `memories`. Directory
/// entries and invalidated signatures are dropped and listed in the result. Kind `check` when the
/// built wheel contradicts its own RECORD or METADATA, a requirement excludes a pin, or a member
/// compresses to more than twice what it had.
Result<FinishedWheel> finish(const WheelArchive& built, const FinishSpec& spec,
                             const ZipOutput& output, ports::LargeMemories& memories);

/// The order of members in written wheels: by name, but metadata last, so that a reader of a remote
/// wheel fetches it together with the central directory, and RECORD at the very end. `info` is the
/// dist-info directory with a slash.
bool sorts_before(const std::string& info, std::string_view left, std::string_view right);

/// Counts and hashes the bytes on their way to the caller's output, which must outlive it.
class OutputMeter {
 public:
  explicit OutputMeter(const ZipOutput& output) : output_(output) {}
  Done put(std::string_view bytes) {
    hash_.update(bytes);
    size_ += bytes.size();
    return output_(bytes);
  }
  uint64_t size() const { return size_; }
  /// Hexadecimal; may be called once.
  std::string sha256() { return to_hex(hash_.finish()); }

 private:
  const ZipOutput& output_;
  Sha256 hash_;
  uint64_t size_ = 0;
};

}  // namespace pinwheel::wheel
