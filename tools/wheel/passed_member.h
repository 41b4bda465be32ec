#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "ports/byte_source.h"
#include "wheel/member_stream.h"

namespace pinwheel::wheel {

/// Random access to a member that was streamed: thanks to marks set while streaming, a read
/// inflates only the few megabytes around it. Not thread-safe; the reader and the member must
/// outlive it.
class PassedMember final : public ports::ByteSource {
 public:
  static Result<std::unique_ptr<PassedMember>> open(const ZipReader& zip, const ZipMember& member);

  /// Must be called before each chunk of the stream is read: sets a mark if one is due. Only
  /// streamed data can be read.
  void pass(const MemberStream& stream);

  uint64_t size() const override { return member_->size; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

 private:
  static constexpr uint64_t kBlock = uint64_t{4} << 20U;  ///< bytes between two marks
  static constexpr size_t kCachedBlocks = 2;              ///< blocks in memory

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
  mutable std::deque<Block> blocks_;  ///< the most recently used
};

}  // namespace pinwheel::wheel
