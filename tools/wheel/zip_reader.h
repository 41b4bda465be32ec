#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::wheel {

/// An entry of the central directory.
struct ZipMember {
  std::string name;  ///< separated by `/`; ends in `/` for a directory
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t time = 0;  ///< DOS time, date in the upper half
  uint32_t crc = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint64_t header_offset = 0;  ///< offset of the local header
  uint32_t mode = 0;           ///< Unix permission and type bits, 0 if the writer set none
  bool has_comment = false;

  bool is_directory() const { return !name.empty() && name.back() == '/'; }
};

/// The layout of an archive.
struct ZipLayout {
  uint64_t directory_offset = 0;
  uint64_t directory_size = 0;
  uint64_t entries = 0;
  uint64_t end_offset = 0;  ///< offset of the end record
  uint64_t end_size = 0;    ///< size including the archive comment
};

/// A zip archive (PKWARE APPNOTE) read through its central directory, ZIP64 included. All sizes and
/// offsets are checked against the size of the file, so a hostile archive causes an error (kind
/// `check`), never a crash or an unbounded allocation. The source must outlive the reader.
class ZipReader {
 public:
  /// Rejects archives without an end record, with several disks, prepended data, names that would
  /// leave the directory they are extracted into, or a central directory that does not fit the
  /// file; before anything is inflated also members that overlap, and what is over the limits of
  /// `base/limits`.
  static Result<ZipReader> open(const ports::ByteSource& source);

  const std::vector<ZipMember>& members() const { return members_; }
  const ZipLayout& layout() const { return layout_; }
  const ports::ByteSource& source() const { return *source_; }

  /// The member of exactly that name, or null.
  const ZipMember* find(std::string_view name) const;
  /// The member's contents; the CRC is verified. Rejects methods other than stored and deflate,
  /// encryption, and members of more than 64 MiB that expand more than 250-fold.
  Result<std::string> read(const ZipMember& member) const;
  /// The offset of the member's stored or compressed bytes, from its local header. Fails as `read`
  /// does before it reads them.
  Result<uint64_t> data_offset(const ZipMember& member) const;

 private:
  const ports::ByteSource* source_ = nullptr;
  ZipLayout layout_;
  std::vector<ZipMember> members_;
};

/// Compares the CRC-32 of a member's contents with the one in the archive.
Done check_crc(const ZipMember& member, uint32_t crc);

/// Whether a member of that name stays below the directory it is extracted into: relative, nonempty
/// parts separated by `/`, no `.`, `..`, backslash, drive or control character, valid UTF-8.
bool is_safe_member_name(std::string_view name);

}  // namespace pinwheel::wheel
