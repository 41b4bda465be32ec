#include "wheel/member_stream.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>

#include "base/text.h"
#include "wheel/deflate.h"
#include "wheel/zip_format.h"

// libdeflate is faster but has no streaming; ISA-L inflates in chunks, and its whole state can be
// copied.
namespace pinwheel::wheel {
namespace {

// Little enough to stay in a cache between the kernel and the inflater.
constexpr uint64_t kInput = uint64_t{256} << 10U;

}  // namespace

struct MemberStream::Inflater {
  inflate_state state;
};

struct MemberStream::Mark {
  uint64_t offset = 0;
  uint64_t consumed = 0;
  std::unique_ptr<Inflater> inflater;
};

MemberStream::MemberStream(const ports::ByteSource& source, const ZipMember& member, uint64_t start,
                           uint64_t length, Crc crc)
    : source_(&source), member_(&member), start_(start), length_(length), crc_by_(crc) {
  if (member.method != zip::kDeflated) return;
  inflater_ = std::make_unique<Inflater>();
  isal_inflate_init(&inflater_->state);
}

MemberStream::MemberStream(MemberStream&&) noexcept = default;
MemberStream& MemberStream::operator=(MemberStream&&) noexcept = default;
MemberStream::~MemberStream() = default;

Result<MemberStream> MemberStream::open(const ZipReader& zip, const ZipMember& member,
                                        uint64_t piece, Crc crc) {
  TRY(const uint64_t start, zip.data_offset(member));
  return MemberStream(zip.source(), member, start, piece, crc);
}

tl::unexpected<Error> MemberStream::broken(const std::string& why) const {
  return fail(ErrorKind::check, "member " + quoted(member_->name) + why);
}

uint64_t MemberStream::consumed() const {
  return read_ - (inflater_ ? inflater_->state.avail_in : 0);
}

Done MemberStream::refill() {
  const uint64_t length = std::min(kInput, member_->compressed_size - read_);
  TRY(input_, source_->read(start_ + read_, length));
  read_ += length;
  inflater_->state.next_in = reinterpret_cast<uint8_t*>(input_.data());
  inflater_->state.avail_in = static_cast<uint32_t>(length);
  return {};
}

Done MemberStream::inflate_into(std::string& piece) {
  inflate_state& state = inflater_->state;
  state.next_out = reinterpret_cast<uint8_t*>(piece.data());
  state.avail_out = static_cast<uint32_t>(piece.size());
  while (state.avail_out > 0) {
    if (state.avail_in == 0 && read_ < member_->compressed_size) TRY_DONE(refill());
    const uint32_t room = state.avail_out;
    const uint32_t input = state.avail_in;
    if (isal_inflate(&state) != ISAL_DECOMP_OK) return broken(": the compressed data is corrupt");
    const bool stands = state.avail_out == room && state.avail_in == input;
    if (stands && (state.avail_in > 0 || read_ == member_->compressed_size)) {
      return broken(": the compressed data ends before its declared size");
    }
  }
  return {};
}

Result<std::string_view> MemberStream::next() {
  TRY_DONE(next(piece_));
  return std::string_view(piece_);
}

Done MemberStream::next(std::string& piece) {
  const uint64_t length = std::min(length_, member_->size - offset_);
  if (length == 0) {
    piece.clear();
    return is_checked_ ? check_end() : Done();
  }
  if (inflater_) {
    piece.resize(length);
    TRY_DONE(inflate_into(piece));
  } else {
    TRY(piece, source_->read(start_ + read_, length));
    read_ += length;
  }
  offset_ += length;
  if (is_checked_ && crc_by_ == Crc::here) crc_ = crc32(piece, crc_);
  return {};
}

Done MemberStream::check_end() {
  if (inflater_) {
    inflate_state& state = inflater_->state;
    std::string more(1, '\0');
    while (state.block_state != ISAL_BLOCK_FINISH) {
      if (state.avail_in == 0 && read_ < member_->compressed_size) TRY_DONE(refill());
      const uint32_t input = state.avail_in;
      const isal_block_state before = state.block_state;
      state.next_out = reinterpret_cast<uint8_t*>(more.data());
      state.avail_out = 1;
      if (isal_inflate(&state) != ISAL_DECOMP_OK) return broken(": the compressed data is corrupt");
      if (state.avail_out == 0) return broken(" does not have its declared size");
      const bool stands = state.avail_in == input && state.block_state == before;
      if (stands && (state.avail_in > 0 || read_ == member_->compressed_size)) {
        return broken(": the compressed data is corrupt");
      }
    }
    const uint64_t unused = state.avail_in + static_cast<uint64_t>(state.read_in_length) / 8;
    if (read_ - unused != member_->compressed_size) {
      return broken(": the compressed data ends before its declared size");
    }
  }
  return crc_by_ == Crc::here ? check_crc(*member_, crc_) : Done();
}

std::shared_ptr<const MemberStream::Mark> MemberStream::mark() const {
  const auto out = std::make_shared<Mark>();
  out->offset = offset_;
  out->consumed = consumed();
  if (inflater_) out->inflater = std::make_unique<Inflater>(*inflater_);
  return out;
}

void MemberStream::go_to(const Mark& mark) {
  is_checked_ = false;
  offset_ = mark.offset;
  read_ = mark.consumed;
  if (!inflater_) return;
  *inflater_ = *mark.inflater;
  inflater_->state.avail_in = 0;
}

}  // namespace pinwheel::wheel
