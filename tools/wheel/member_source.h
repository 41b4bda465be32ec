#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/chunk_position.h"
#include "base/result.h"
#include "ports/byte_source.h"
#include "wheel/deflate_part.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// A member of an archive, read at any offset without inflating all of it: the beginning and the
/// end of its compressed stream are read as far as needed, in growing steps, and all of it once
/// they make up half. For reading the ends of members of a remote archive. Data from an end is not
/// verified: the caller checks it, and calls `read_whole` when it is wrong. Not thread-safe. The
/// archive must outlive it.
class MemberSource final : public ports::ByteSource {
 public:
  /// Fails as `ZipReader::read` does.
  static Result<std::unique_ptr<MemberSource>> open(const ZipReader& archive,
                                                    const ZipMember& member);

  uint64_t size() const override { return member_->size; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

  /// Locates a chunk of the member, in which unknown bytes are zeros, relative to the part being
  /// searched for.
  using Locate = std::function<ChunkPosition(std::string_view chunk)>;
  /// Searches for a part between the ends by bisecting the compressed stream: reads chunks of it,
  /// whose offsets are unknown, and lets `locate` decide on which side to continue. Later reads use
  /// the part when it was found, and work without it otherwise.
  Done seek(const Extent& wanted, const Locate& locate) const;

  /// Reads the whole member and verifies its CRC-32; later reads are served from it.
  Done read_whole() const;
  bool is_whole() const { return whole_.size() == size(); }

 private:
  MemberSource(const ZipReader& archive, const ZipMember& member, uint64_t start)
      : archive_(&archive), member_(&member), start_(start) {}

  /// The bytes in memory; nullptr when neither end nor the middle part covers them.
  const char* find(uint64_t offset, uint64_t length) const;
  /// Keeps the wanted part when the chunk contains it at `at` without unknown bytes.
  bool store_middle(const Extent& wanted, const InflatedPart& chunk, uint64_t at) const;
  Done grow(uint64_t offset) const;
  Done grow_head() const;
  Done grow_tail() const;

  const ZipReader* archive_;
  const ZipMember* member_;
  uint64_t start_;  ///< offset of the compressed stream
  // The data read so far: a cache, the only state that reads change.
  mutable std::string packed_head_;
  mutable std::string head_;
  mutable std::string packed_tail_;
  mutable InflatedTail tail_;
  mutable Extent middle_at_;  ///< the range of `middle_` in the member
  mutable std::string middle_;
  mutable std::string whole_;
};

}  // namespace pinwheel::wheel
