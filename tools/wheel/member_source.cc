#include "wheel/member_source.h"

#include <algorithm>

#include "base/text.h"
#include "wheel/deflate.h"
#include "wheel/zip_format.h"

namespace pinwheel::wheel {
namespace {

constexpr uint64_t kFirstHead = uint64_t{256} << 10U;
constexpr uint64_t kFirstTail = uint64_t{512} << 10U;
constexpr uint64_t kMostTail = uint64_t{256} << 20U;

bool meets(const Extent& gap, uint64_t from, uint64_t to) {
  return gap.from < to && from < gap.to;
}

}  // namespace

Result<std::unique_ptr<MemberSource>> MemberSource::open(const ZipReader& archive,
                                                         const ZipMember& member) {
  TRY(const uint64_t start, archive.data_offset(member));
  if (member.method == zip::kDeflated && !deflate_can_reach(member.compressed_size, member.size)) {
    return fail(ErrorKind::check,
                "member " + quoted(member.name) + " announces more than its data can hold");
  }
  return std::unique_ptr<MemberSource>(new MemberSource(archive, member, start));
}

Result<std::string> MemberSource::read(uint64_t offset, uint64_t length) const {
  if (offset > size() || length > size() - offset) {
    return fail(ErrorKind::check,
                "member " + quoted(member_->name) + " ends before the data it announces");
  }
  if (member_->method == zip::kStored) return archive_->source().read(start_ + offset, length);
  while (true) {
    if (const char* bytes = find(offset, length)) return std::string(bytes, length);
    TRY_DONE(grow(offset));
  }
}

const char* MemberSource::find(uint64_t offset, uint64_t length) const {
  if (is_whole()) return whole_.data() + offset;
  if (offset + length <= head_.size()) return head_.data() + offset;
  const uint64_t tail_at = size() - tail_.bytes.size();
  if (offset < tail_at) return nullptr;
  const uint64_t from = offset - tail_at;
  const bool known =
      std::none_of(tail_.unknown.begin(), tail_.unknown.end(),
                   [&](const Extent& gap) { return meets(gap, from, from + length); });
  return known ? tail_.bytes.data() + from : nullptr;
}

Done MemberSource::grow(uint64_t offset) const {
  if (2 * (packed_head_.size() + packed_tail_.size()) >= member_->compressed_size) {
    return read_whole();
  }
  return offset < size() / 2 ? grow_head() : grow_tail();
}

Done MemberSource::grow_head() const {
  const uint64_t have = packed_head_.size();
  const uint64_t want = std::min(std::max(kFirstHead, 2 * have), member_->compressed_size);
  TRY(const std::string more, archive_->source().read(start_ + have, want - have));
  packed_head_ += more;
  TRY(head_, inflate_head(packed_head_, size()));
  return {};
}

Done MemberSource::grow_tail() const {
  const uint64_t have = packed_tail_.size();
  const uint64_t want = std::min(std::max(kFirstTail, have + have / 4), member_->compressed_size);
  TRY(std::string more,
      archive_->source().read(start_ + member_->compressed_size - want, want - have));
  packed_tail_.insert(0, more);
  // A stream of other blocks is entered further ahead, or read as a whole in the end.
  Result<InflatedTail> tail = inflate_tail(packed_tail_, std::min(size(), kMostTail), tail_);
  if (tail) tail_ = *std::move(tail);
  return {};
}

Done MemberSource::read_whole() const {
  if (is_whole()) return {};
  TRY(whole_, archive_->read(*member_));
  return {};
}

}  // namespace pinwheel::wheel
