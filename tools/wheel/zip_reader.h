#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::wheel {

/// One entry of the central directory.
struct ZipMember {
  std::string name;  ///< `/` between parts; ends in `/` for a directory
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t time = 0;  ///< DOS time, date in the upper half
  uint32_t crc = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint64_t header_offset = 0;  ///< of the local header
  uint32_t mode = 0;           ///< Unix permission and type bits, 0 where the writer gave none
  bool has_comment = false;

  bool is_directory() const { return !name.empty() && name.back() == '/'; }
};

/// Where the parts of the archive lie.
struct ZipLayout {
  uint64_t directory_offset = 0;
  uint64_t directory_size = 0;
  uint64_t entries = 0;
  uint64_t end_offset = 0;  ///< of the end record
  uint64_t end_size = 0;    ///< with the archive comment
};

/// A zip archive (PKWARE APPNOTE) read through its central directory, ZIP64 included. Nothing of
/// what the archive announces is believed before it was compared with the size of the file, so a
/// hostile archive gives an error (kind `check`), never a crash or an unbounded allocation.
/// The source must outlive the reader.
class ZipReader {
 public:
  /// Refuses: no end record, several disks, prepended data, names that would leave the directory
  /// they are extracted into, and a central directory that does not fit the file.
  static Result<ZipReader> open(const ports::ByteSource& source);

  const std::vector<ZipMember>& members() const { return members_; }
  const ZipLayout& layout() const { return layout_; }
  const ports::ByteSource& source() const { return *source_; }

  /// The member of that exact name, or null.
  const ZipMember* find(std::string_view name) const;
  /// The member's contents, CRC verified. Refuses methods other than stored and deflate,
  /// encryption, and members of more than 64 MiB that grow more than 250-fold.
  Result<std::string> read(const ZipMember& member) const;
  /// Where the member's stored or compressed bytes begin, which its local header says. Refuses what
  /// `read` refuses before it reads them.
  Result<uint64_t> data_offset(const ZipMember& member) const;

 private:
  const ports::ByteSource* source_ = nullptr;
  ZipLayout layout_;
  std::vector<ZipMember> members_;
};

/// Compares the CRC-32 of what came out of a member with the one that the archive states.
Done check_crc(const ZipMember& member, uint32_t crc);

/// Whether a member of that name stays below the directory it is extracted into: relative, `/`
/// between non-empty parts, no `.`, `..`, backslash, drive or control character, valid UTF-8.
bool is_safe_member_name(std::string_view name);

}  // namespace pinwheel::wheel
