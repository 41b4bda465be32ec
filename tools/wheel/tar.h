#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::wheel {

enum class TarKind { file, directory, symlink };

/// One member of a tar archive.
struct TarMember {
  std::string name;  ///< `/` between parts, none at the end
  TarKind kind = TarKind::file;
  std::string_view contents = {};  ///< a file's bytes, inside the archive that was read
  std::string target = {};         ///< where a symbolic link points, as it stands
  uint32_t mode = 0644;            ///< permission bits
};

/// Reads POSIX ustar and pax archives and GNU's long names, all in memory; the archive must outlive
/// the result. A hard link becomes the file that it names. Kind `check` for a damaged or cut
/// archive, data after its end, other kinds of member, sparse files, two members of one name, a
/// member below one that is no directory, and names that would leave the directory they are
/// extracted into. Where links point is not judged here.
Result<std::vector<TarMember>> read_tar(std::string_view tar);

/// A reproducible ustar archive: members sorted by name, every time `epoch` (seconds since 1970,
/// clamped to what the field holds), owner 0 without a name, modes 0755 for directories, links and
/// what anybody may execute, else 0644. A pax header stands only before names that are too long or
/// not ASCII. The bytes do not depend on the order of `members`.
std::string write_tar(std::vector<TarMember> members, int64_t epoch);

}  // namespace pinwheel::wheel
