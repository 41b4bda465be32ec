#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// Streams the contents of a member in chunks of constant memory. The reader and the member must
/// outlive it.
class MemberStream {
 public:
  static constexpr uint64_t kPiece = uint64_t{1} << 19U;

  /// A position to resume from later.
  struct Mark;
  /// Who computes the CRC of the contents and checks it.
  enum class Crc { here, caller };

  /// `piece` is the length of every chunk but the last. Fails as `ZipReader::read` does before it
  /// inflates.
  static Result<MemberStream> open(const ZipReader& zip, const ZipMember& member,
                                   uint64_t piece = kPiece, Crc crc = Crc::here);
  MemberStream(MemberStream&&) noexcept;
  MemberStream& operator=(MemberStream&&) noexcept;
  ~MemberStream();

  /// The next chunk, valid until the next call; empty after the last. Kind `check` when the data is
  /// corrupt or does not have its declared size, and with the last chunk when the CRC does not
  /// match, unless the caller checks it.
  Result<std::string_view> next();
  /// The same into memory of the caller.
  Done next(std::string& piece);
  /// Bytes of contents returned so far.
  uint64_t offset() const { return offset_; }
  /// Compressed bytes they were inflated from; a few more may have been read.
  uint64_t consumed() const;

  std::shared_ptr<const Mark> mark() const;
  /// Seeks to a mark of the same member; the CRC is not checked after that.
  void go_to(const Mark& mark);

 private:
  struct Inflater;

  MemberStream(const ports::ByteSource& source, const ZipMember& member, uint64_t start,
               uint64_t length, Crc crc);
  Done refill();
  Done inflate_into(std::string& piece);
  Done check_end();
  tl::unexpected<Error> broken(const std::string& why) const;

  const ports::ByteSource* source_;
  const ZipMember* member_;
  uint64_t start_;   ///< offset of the data in the archive
  uint64_t length_;  ///< length of a chunk
  Crc crc_by_;
  uint64_t read_ = 0;  ///< compressed bytes read so far
  uint64_t offset_ = 0;
  uint32_t crc_ = 0;
  bool is_checked_ = true;
  std::string input_;
  std::string piece_;
  std::unique_ptr<Inflater> inflater_;  ///< null for a stored member
};

}  // namespace pinwheel::wheel
