#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// A member's contents in pieces, in order, however large it is. The reader and the member must
/// outlive it.
class MemberStream {
 public:
  static constexpr uint64_t kPiece = uint64_t{1} << 20U;

  /// A place to go on from later.
  struct Mark;

  /// `piece` is the length of every piece but the last. Refuses what `ZipReader::read` refuses
  /// before it inflates.
  static Result<MemberStream> open(const ZipReader& zip, const ZipMember& member,
                                   uint64_t piece = kPiece);
  MemberStream(MemberStream&&) noexcept;
  MemberStream& operator=(MemberStream&&) noexcept;
  ~MemberStream();

  /// The next piece, valid until the next call; empty after the last. Kind `check` when the data is
  /// damaged or has another size than announced, and with the last piece when its CRC is another.
  Result<std::string_view> next();
  /// Bytes of contents given so far.
  uint64_t offset() const { return offset_; }
  /// Compressed bytes that gave them; a few more may have been looked at.
  uint64_t consumed() const;

  std::shared_ptr<const Mark> mark() const;
  /// Goes back or forth to a mark of the same member; the CRC is no longer checked.
  void go_to(const Mark& mark);

 private:
  struct Inflater;

  MemberStream(const ports::ByteSource& source, const ZipMember& member, uint64_t start,
               uint64_t length);
  Done refill();
  Done inflate_piece();
  Done check_end();
  tl::unexpected<Error> broken(const std::string& why) const;

  const ports::ByteSource* source_;
  const ZipMember* member_;
  uint64_t start_;     ///< of the data in the archive
  uint64_t length_;    ///< of a piece
  uint64_t read_ = 0;  ///< compressed bytes that were read
  uint64_t offset_ = 0;
  uint32_t crc_ = 0;
  bool is_checked_ = true;
  std::string input_;
  std::string piece_;
  std::unique_ptr<Inflater> inflater_;  ///< null for a stored member
};

}  // namespace pinwheel::wheel
