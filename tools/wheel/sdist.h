#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wheel/metadata.h"
#include "wheel/naming.h"

namespace pinwheel::wheel {

struct TarMember;

/// Kind `check` unless the target of a symbolic link stays inside the top-level directory of its
/// sdist.
Done check_link(const TarMember& link);

/// The contents of an sdist.
struct SdistInfo {
  std::string directory;             ///< the top-level directory: "pinwheel_kernels-1.2.0"
  Metadata metadata;                 ///< of its PKG-INFO
  std::vector<std::string> members;  ///< names of all members, sorted
};

/// Reads an sdist (source distribution format, PEP 625, PEP 643) named `file_name`. Kind `check`
/// when the name is not a normalized `<name>-<version>.tar.gz`, when the top-level directory or
/// PKG-INFO has another name or version, when the archive is corrupt, when a member or the target
/// of a link lies outside the top-level directory, and when it unpacks to more than
/// `limits::kFinishedSdist`, or to more than 64 MiB and 250 times its size.
Result<SdistInfo> read_sdist(std::string_view file_name, std::string_view tar_gz);

/// Kind `check` unless the sdist has that name and version.
Done check_sdist(const SdistInfo& sdist, const Naming& expected);

/// Rewrites an sdist reproducibly (see `write_tar` and `gzip`): the bytes depend only on the
/// members and on `epoch` (seconds since 1970), not on when, where or in which order they were
/// packed. Fails as `read_sdist` does.
Result<std::string> finish_sdist(std::string_view tar_gz, int64_t epoch);

}  // namespace pinwheel::wheel
