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
// zlib's blocks are at most about 50 KiB: room for several, and enough in front of the part that no
// unknown byte is left in it.
constexpr uint64_t kProbe = uint64_t{96} << 10U;
constexpr uint64_t kLead = uint64_t{256} << 10U;
constexpr uint64_t kFar =
    uint64_t{32} << 20U;  ///< reading more than this costs more than searching for the part
constexpr uint64_t kNear = 4 * kProbe;
constexpr uint64_t kMostLead = uint64_t{1} << 20U;
constexpr uint64_t kMostProbe = uint64_t{16} << 20U;

bool meets(const Extent& gap, uint64_t from, uint64_t to) {
  return gap.from < to && from < gap.to;
}

bool is_known(const InflatedPart& part, const Extent& wanted) {
  return std::none_of(part.unknown.begin(), part.unknown.end(),
                      [&](const Extent& gap) { return meets(gap, wanted.from, wanted.to); });
}

}  // namespace

Result<std::unique_ptr<MemberSource>> MemberSource::open(const ZipReader& archive,
                                                         const ZipMember& member) {
  TRY(const uint64_t start, archive.data_offset(member));
  if (member.method == zip::kDeflated && !deflate_can_reach(member.compressed_size, member.size)) {
    return fail(ErrorKind::check, "member " + quoted(member.name) +
                                      " has a declared size that its data cannot inflate to");
  }
  return std::unique_ptr<MemberSource>(new MemberSource(archive, member, start));
}

Result<std::string> MemberSource::read(uint64_t offset, uint64_t length) const {
  if (offset > size() || length > size() - offset) {
    return fail(ErrorKind::check,
                "member " + quoted(member_->name) + " ends before its declared size");
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
  if (offset >= middle_at_.from && offset + length <= middle_at_.to) {
    return middle_.data() + (offset - middle_at_.from);
  }
  const uint64_t tail_at = size() - tail_.bytes.size();
  if (offset < tail_at) return nullptr;
  const uint64_t from = offset - tail_at;
  return is_known(tail_, {from, from + length}) ? tail_.bytes.data() + from : nullptr;
}

bool MemberSource::store_middle(const Extent& wanted, const InflatedPart& chunk,
                                uint64_t at) const {
  const Extent found{at, at + (wanted.to - wanted.from)};
  if (found.to > chunk.bytes.size() || !is_known(chunk, found)) return false;
  middle_ = chunk.bytes.substr(found.from, found.to - found.from);
  middle_at_ = wanted;
  return true;
}

Done MemberSource::seek(const Extent& wanted, const Locate& locate) const {
  if (member_->method == zip::kStored || is_whole() || wanted.to > size()) return {};
  const uint64_t after = size() - wanted.to;
  if (after < kFar) return {};
  const uint64_t packed = member_->compressed_size;
  // The bytes after the part compress to hardly more than their own size.
  Extent range{packed - std::min(packed, after + after / 1000 + kProbe), packed};
  const auto probe = [&](std::string_view part) {
    const Result<InflatedPart> inflated = inflate_part(part, kMostProbe);
    if (!inflated) return locate({});
    const ChunkPosition seen = locate(inflated->bytes);
    if (seen.where == ChunkPosition::Where::contains) store_middle(wanted, *inflated, seen.at);
    return seen;
  };
  while (range.to - range.from > kNear) {
    const uint64_t middle = range.from + (range.to - range.from) / 2;
    TRY(const std::string part, archive_->source().read(start_ + middle, kProbe));
    const ChunkPosition seen = probe(part);
    if (!middle_.empty()) return {};
    if (seen.where != ChunkPosition::Where::after) range.from = middle;
    if (seen.where != ChunkPosition::Where::before) range.to = middle + kProbe;
  }
  std::string part;
  for (uint64_t lead = kLead; middle_.empty() && lead <= kMostLead; lead *= 2) {
    const uint64_t from = range.from - std::min(range.from, lead);
    TRY(const std::string more,
        archive_->source().read(start_ + from, range.to - from - part.size()));
    part.insert(0, more);
    probe(part);
  }
  return {};
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
  // A stream of other block types is entered further ahead, or read as a whole in the end.
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
