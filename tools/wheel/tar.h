#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wheel/byte_stream.h"

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

/// Receives the members of a tar archive that is read in order. An error ends the reading.
class TarVisitor {
 public:
  TarVisitor() = default;
  virtual ~TarVisitor() = default;
  TarVisitor(const TarVisitor&) = delete;
  TarVisitor& operator=(const TarVisitor&) = delete;

  /// The next member, without contents, and the size of its contents, which follow.
  virtual Done member(const TarMember& member, uint64_t size) = 0;
  /// A part of the contents of the last member, valid during the call.
  virtual Done contents(std::string_view piece) = 0;
  /// The next member, a hard link: a file with the contents of an earlier one, `first`.
  virtual Done same(const TarMember& member, const std::string& first) = 0;
};

/// Reads POSIX ustar and pax archives and GNU's long names in constant memory, apart from their
/// names. Kind `check` for a corrupt or truncated archive, data after its end, other kinds of
/// member, sparse files, duplicate names, a member below one that is not a directory, names that
/// would leave the directory they are extracted into, and more members than `limits::kMembers`.
/// Link targets are not checked. What comes after the first error was not visited.
Done visit_tar(ByteStream& tar, TarVisitor& visitor);

/// The same for an archive in memory, which must outlive the result. A hard link becomes a copy of
/// its file.
Result<std::vector<TarMember>> read_tar(std::string_view tar);

/// A reproducible ustar archive: members sorted by name, all timestamps `epoch` (seconds since
/// 1970, clamped to the range of the field), owner 0 without a name, modes 0755 for directories,
/// links and executables, else 0644. Only names that are too long or not ASCII have a pax header.
/// The bytes do not depend on the order of `members`.
std::string write_tar(std::vector<TarMember> members, int64_t epoch);

}  // namespace pinwheel::wheel
