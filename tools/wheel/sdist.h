#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wheel/metadata.h"
#include "wheel/naming.h"

namespace pinwheel::wheel {

/// What an sdist says about itself.
struct SdistInfo {
  std::string directory;             ///< the one top directory: "pinwheel_kernels-1.2.0"
  Metadata metadata;                 ///< of its PKG-INFO
  std::vector<std::string> members;  ///< names of all members, sorted
};

/// Reads an sdist (source distribution format, PEP 625, PEP 643) that is called `file_name`. Kind
/// `check` when the name is not `<name>-<version>.tar.gz` in normalised spelling, when the top
/// directory or PKG-INFO says another name or version, when the archive is damaged, when a member
/// or the target of a link lies outside the top directory, and when it unpacks to more than 1 GiB,
/// or to more than 64 MiB and 250 times its size.
Result<SdistInfo> read_sdist(std::string_view file_name, std::string_view tar_gz);

/// Kind `check` unless the sdist carries that name and version.
Done check_sdist(const SdistInfo& sdist, const Naming& expected);

/// Rewrites an sdist reproducibly, as `write_tar` and `gzip` promise: the bytes depend on the
/// members and on `epoch` (seconds since 1970), not on when, where or in which order they were
/// packed. Refuses what `read_sdist` refuses.
Result<std::string> finish_sdist(std::string_view tar_gz, int64_t epoch);

}  // namespace pinwheel::wheel
