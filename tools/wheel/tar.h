#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::wheel {

enum class TarKind { file, directory, symlink };

/// A member of a tar archive.
struct TarMember {
  std::string name;  ///< separated by `/`, none at the end
  TarKind kind = TarKind::file;
  std::string_view contents = {};  ///< the bytes of a file, a view into the archive
  std::string target = {};         ///< the target of a symbolic link, verbatim
  uint32_t mode = 0644;            ///< permission bits
};

/// Reads POSIX ustar and pax archives and GNU's long names, all in memory; the archive must outlive
/// the result. A hard link becomes a copy of its file. Kind `check` for a corrupt or truncated
/// archive, data after its end, other kinds of member, sparse files, duplicate names, a member
/// below one that is not a directory, and names that would leave the directory they are extracted
/// into. Link targets are not checked.
Result<std::vector<TarMember>> read_tar(std::string_view tar);

/// A reproducible ustar archive: members sorted by name, all timestamps `epoch` (seconds since
/// 1970, clamped to the range of the field), owner 0 without a name, modes 0755 for directories,
/// links and executables, else 0644. Only names that are too long or not ASCII have a pax header.
/// The bytes do not depend on the order of `members`.
std::string write_tar(std::vector<TarMember> members, int64_t epoch);

}  // namespace pinwheel::wheel
