#include "wheel/passed_member.h"

#include <algorithm>

namespace pinwheel::wheel {

Result<std::unique_ptr<PassedMember>> PassedMember::open(const ZipReader& zip,
                                                         const ZipMember& member) {
  TRY(MemberStream stream, MemberStream::open(zip, member));
  return std::unique_ptr<PassedMember>(new PassedMember(member, std::move(stream)));
}

void PassedMember::pass(const MemberStream& stream) {
  if (stream.offset() == marks_.size() * kBlock) marks_.push_back(stream.mark());
}

Result<const PassedMember::Block*> PassedMember::block(uint64_t number) const {
  for (const Block& known : blocks_) {
    if (known.number == number) return &known;
  }
  if (number >= marks_.size()) {
    return fail(ErrorKind::internal, "a part of a member was read that was not streamed yet");
  }
  Block made{number, {}};
  stream_.go_to(*marks_[number]);
  while (made.bytes.size() < kBlock) {
    TRY(const std::string_view piece, stream_.next());
    if (piece.empty()) break;
    made.bytes += piece;
  }
  if (blocks_.size() == kCachedBlocks) blocks_.pop_front();
  blocks_.push_back(std::move(made));
  return &blocks_.back();
}

Result<std::string> PassedMember::read(uint64_t offset, uint64_t length) const {
  if (offset > size() || length > size() - offset) {
    return fail(ErrorKind::check, "the file ends before the data that its headers describe");
  }
  std::string out;
  out.reserve(length);
  while (out.size() < length) {
    const uint64_t at = offset + out.size();
    TRY(const Block* const part, block(at / kBlock));
    const uint64_t inside = at % kBlock;
    if (inside >= part->bytes.size()) {
      return fail(ErrorKind::check, "the file ends before the data that its headers describe");
    }
    out += part->bytes.substr(inside, length - out.size());
  }
  return out;
}

}  // namespace pinwheel::wheel
