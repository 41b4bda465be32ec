#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// Receives bytes in order; an error stops the writer and is returned.
using ZipOutput = std::function<Done(std::string_view)>;

/// The DOS time of every member for `epoch`, in seconds since 1970, UTC; clamped to the range of
/// DOS times, 1980 to 2107, and rounded down to even seconds.
uint32_t dos_time(int64_t epoch);

/// A compressed member; its bytes depend only on its contents.
struct PackedMember {
  std::string name;
  uint32_t mode = 0644;  ///< permission bits
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t size = 0;   ///< of the contents
  std::string packed;  ///< the bytes in the archive
};

/// The same without owning the bytes.
struct PackedView {
  std::string name;
  uint32_t mode = 0644;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t size = 0;
  std::string_view packed = {};
};

/// Compresses a member; it is stored when deflate would not make it smaller. Several may be packed
/// at the same time.
PackedMember pack_member(std::string name, std::string_view contents, uint32_t mode = 0644);

/// The most bytes of a recompressed member that had `packed` bytes before. Only crafted data needs
/// more.
constexpr uint64_t most_repacked(uint64_t packed) {
  constexpr uint64_t kAlways = uint64_t{16} << 20U;
  return kAlways + 2 * packed;
}
/// The error for a member that needs more.
Error compresses_worse(const std::string& name, uint64_t most);
/// The same as `pack_member`, with at most `most` bytes for the compressed contents: kind `check`
/// when they need more.
Result<PackedMember> pack_member_within(std::string name, std::string_view contents, uint32_t mode,
                                        uint64_t most);

/// A reproducible zip archive, written in one pass: members in the given order, one timestamp, no
/// data descriptors (PyPI rejects them), ZIP64 only where needed, one deflate implementation. The
/// bytes depend only on the calls.
class ZipWriter {
 public:
  ZipWriter(ZipOutput output, int64_t epoch) : output_(std::move(output)), time_(dos_time(epoch)) {}

  /// Adds a regular file. It is stored when deflate would not make it smaller. `mode` is the
  /// permission bits.
  Done add(const std::string& name, std::string_view contents, uint32_t mode = 0644);
  Done add(const PackedMember& member);
  Done add(const PackedView& member);
  /// Copies a member of another archive as it was compressed there, without reading its contents.
  Done copy(const ZipReader& from, const ZipMember& member, uint32_t mode);
  /// Writes the central directory; no members may be added after that.
  Done finish();

 private:
  struct Entry {
    std::string name;
    uint16_t method = 0;
    uint32_t crc = 0;
    uint64_t compressed_size = 0;
    uint64_t size = 0;
    uint64_t offset = 0;
    uint32_t mode = 0;
  };

  Done put(std::string_view bytes);
  /// Checks the name and writes the local header.
  Done begin(const Entry& entry);
  std::string local_header(const Entry& entry) const;
  std::string central_header(const Entry& entry) const;
  std::string end_records(uint64_t directory_offset) const;

  ZipOutput output_;
  uint32_t time_;
  uint64_t offset_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace pinwheel::wheel
