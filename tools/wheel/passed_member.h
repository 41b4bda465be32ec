#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "ports/byte_source.h"
#include "wheel/member_stream.h"

namespace pinwheel::wheel {

/// Bytes at any offset of a member that has passed by as a stream: marks that were set on the way
/// make it enough to inflate the few megabytes around what is asked for. For one thread; the reader
/// and the member must outlive it.
class PassedMember final : public ports::ByteSource {
 public:
  static Result<std::unique_ptr<PassedMember>> open(const ZipReader& zip, const ZipMember& member);

  /// To be called before each piece of the stream is taken: sets a mark where one is due. Only what
  /// has passed by can be read.
  void pass(const MemberStream& stream);

  uint64_t size() const override { return member_->size; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

 private:
  static constexpr uint64_t kBlock = 4 * MemberStream::kPiece;  ///< between two marks
  static constexpr size_t kKept = 2;                            ///< blocks

  struct Block {
    uint64_t number = 0;
    std::string bytes;
  };

  PassedMember(const ZipMember& member, MemberStream stream)
      : member_(&member), stream_(std::move(stream)) {}
  Result<const Block*> block(uint64_t number) const;

  const ZipMember* member_;
  std::vector<std::shared_ptr<const MemberStream::Mark>> marks_;
  mutable MemberStream stream_;
  mutable std::deque<Block> blocks_;  ///< the last ones that were asked for
};

}  // namespace pinwheel::wheel
