#include "wheel/gzip_stream.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>

namespace pinwheel::wheel {
namespace {

constexpr uint64_t kGzipPiece = uint64_t{1} << 20U;

tl::unexpected<Error> corrupt_gzip() {
  return fail(ErrorKind::check, "the gzip file is corrupt or has data after its end");
}

}  // namespace

struct GzipStream::Inflater {
  inflate_state state;
};

GzipStream::GzipStream(const ports::ByteSource& source, const ByteLimit& limit)
    : source_(&source), limit_(limit), inflater_(std::make_unique<Inflater>()) {
  isal_inflate_init(&inflater_->state);
  inflater_->state.crc_flag = ISAL_GZIP;
}

GzipStream::~GzipStream() = default;

Done GzipStream::refill() {
  const uint64_t length = std::min(kGzipPiece, source_->size() - read_);
  TRY(input_, source_->read(read_, length));
  constexpr std::string_view kMagic("\x1f\x8b\x08", 3);
  if (read_ == 0 && !input_.starts_with(kMagic)) {
    return fail(ErrorKind::check, "the file is not a gzip file");
  }
  read_ += length;
  inflater_->state.next_in = reinterpret_cast<uint8_t*>(input_.data());
  inflater_->state.avail_in = static_cast<uint32_t>(length);
  return {};
}

Done GzipStream::check_end() {
  if (inflater_->state.avail_in > 0 || read_ < source_->size()) return corrupt_gzip();
  return {};
}

Result<std::string_view> GzipStream::next() {
  inflate_state& state = inflater_->state;
  piece_.resize(kGzipPiece);
  state.next_out = reinterpret_cast<uint8_t*>(piece_.data());
  state.avail_out = static_cast<uint32_t>(kGzipPiece);
  while (state.avail_out > 0 && state.block_state != ISAL_BLOCK_FINISH) {
    if (state.avail_in == 0 && (read_ < source_->size() || read_ == 0)) TRY_DONE(refill());
    const uint32_t room = state.avail_out;
    const uint32_t input = state.avail_in;
    if (isal_inflate(&state) != ISAL_DECOMP_OK) return corrupt_gzip();
    const bool stands = state.avail_out == room && state.avail_in == input;
    if (stands && (input > 0 || read_ == source_->size())) {
      if (state.block_state == ISAL_BLOCK_FINISH) break;
      return corrupt_gzip();
    }
  }
  piece_.resize(kGzipPiece - state.avail_out);
  made_ += piece_.size();
  if (made_ > limit_.most) return fail(too_large("the unpacked gzip file", limit_));
  if (piece_.empty()) TRY_DONE(check_end());
  return std::string_view(piece_);
}

}  // namespace pinwheel::wheel
