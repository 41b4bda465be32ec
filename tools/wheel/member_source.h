#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/sighting.h"
#include "ports/byte_source.h"
#include "wheel/deflate_part.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// A member of an archive, read at any offset without inflating all of it: of its compressed stream
/// the beginning and the end are read as far as what is asked for demands, a good part more at each
/// step, and all of it once they are half. For members whose ends are wanted, in an archive that
/// lies far away. What comes from an end is not verified: the caller checks what it reads, and asks
/// for `read_whole` when it is wrong. Not for several threads. The archive must outlive it.
class MemberSource final : public ports::ByteSource {
 public:
  /// Refuses what `ZipReader::read` refuses.
  static Result<std::unique_ptr<MemberSource>> open(const ZipReader& archive,
                                                    const ZipMember& member);

  uint64_t size() const override { return member_->size; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

  /// Says where a stretch of the member, zeros where its bytes are unknown, lies from what is
  /// looked for.
  using Look = std::function<Sighting(std::string_view stretch)>;
  /// Looks for a part between the ends by halving the compressed stream: reads stretches of it,
  /// whose offsets are not known, and lets `look` say which way to go. What it finds later reads
  /// get; where it finds nothing they go on as without it.
  Done seek(const Extent& wanted, const Look& look) const;

  /// Reads all of it and verifies its CRC-32; later reads come from there.
  Done read_whole() const;
  bool is_whole() const { return whole_.size() == size(); }

 private:
  MemberSource(const ZipReader& archive, const ZipMember& member, uint64_t start)
      : archive_(&archive), member_(&member), start_(start) {}

  /// From which of the two ends the bytes are known; nullptr when neither reaches them.
  const char* find(uint64_t offset, uint64_t length) const;
  /// Keeps the wanted part when the stretch has it there, all of it known.
  bool keep(const Extent& wanted, const InflatedPart& stretch, uint64_t at) const;
  Done grow(uint64_t offset) const;
  Done grow_head() const;
  Done grow_tail() const;

  const ZipReader* archive_;
  const ZipMember* member_;
  uint64_t start_;  ///< of the compressed stream
  // What was read so far: a cache, the only thing that a read changes.
  mutable std::string packed_head_;
  mutable std::string head_;
  mutable std::string packed_tail_;
  mutable InflatedTail tail_;
  mutable Extent middle_at_;  ///< of `middle_` in the member
  mutable std::string middle_;
  mutable std::string whole_;
};

}  // namespace pinwheel::wheel
