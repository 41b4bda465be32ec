#include "binary/compressed_bundle.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

constexpr uint16_t kNewestVersion = 3;
constexpr uint16_t kZstd = 1;  // the method; zlib is 0
constexpr uint64_t kMaxDeflateRatio = 1032;

tl::unexpected<Error> broken_compressed(const std::string& why) {
  return fail(ErrorKind::check, "the compressed HIP offload bundle is corrupt: " + why);
}

// Of a block of zstd: 128 KB, at least from its header and one byte.
constexpr uint64_t kMaxZstdRatio = uint64_t{1} << 15U;
constexpr uint64_t kInput = uint64_t{16} << 10U;

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

tl::unexpected<Error> corrupt_data() {
  return broken_compressed("its data does not decompress");
}
tl::unexpected<Error> short_data() {
  return broken_compressed("its data ends before its declared size");
}

/// The payload in pieces; each is valid until the next, and empty at the end.
class Pieces {
 public:
  explicit Pieces(Window& payload) : payload_(payload) {}
  Result<std::string_view> next() {
    const uint64_t length = std::min(kInput, payload_.size() - at_);
    TRY(const std::string_view piece, payload_.at(at_, length));
    at_ += length;
    return piece;
  }

 private:
  Window& payload_;
  uint64_t at_ = 0;
};

Done unpack_zlib(Pieces input, std::string& head) {
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_out = reinterpret_cast<uint8_t*>(head.data());
  state->avail_out = static_cast<uint32_t>(head.size());
  std::string bytes;
  while (state->avail_out > 0) {
    if (state->block_state == ISAL_BLOCK_FINISH) return short_data();
    if (state->avail_in == 0) {
      TRY(const std::string_view piece, input.next());
      if (piece.empty()) return short_data();
      bytes = piece;
      state->next_in = reinterpret_cast<uint8_t*>(bytes.data());
      state->avail_in = static_cast<uint32_t>(bytes.size());
    }
    const uint32_t room = state->avail_out;
    const uint32_t left = state->avail_in;
    const int result = isal_inflate(state.get());
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) return corrupt_data();
    if (state->avail_out == room && state->avail_in == left) return corrupt_data();
  }
  return {};
}

Done unpack_zstd(Pieces input, std::string& head) {
  const std::unique_ptr<ZSTD_DStream, FreeStream> stream(ZSTD_createDStream());
  ZSTD_outBuffer out{head.data(), head.size(), 0};
  while (out.pos < out.size) {
    TRY(const std::string_view piece, input.next());
    if (piece.empty()) return short_data();
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    while (out.pos < out.size) {
      const size_t before = out.pos;
      const size_t state = ZSTD_decompressStream(stream.get(), &out, &in);
      if (ZSTD_isError(state) != 0) return corrupt_data();
      if (state == 0 && out.pos < out.size) return short_data();
      if (in.pos == in.size && out.pos == before) break;
    }
  }
  return {};
}

}  // namespace

bool is_compressed_bundle(std::string_view head) {
  return head.starts_with(kCompressedMagic);
}

bool has_known_form(std::string_view head) {
  ByteCursor cursor(head, kCompressedMagic.size());
  const uint16_t version = cursor.u16();
  const uint16_t method = cursor.u16();
  return is_compressed_bundle(head) && cursor.ok() && version >= 1 && version <= kNewestVersion &&
         method <= kZstd;
}

Result<CompressedBundle> read_compressed_bundle(std::string_view head, uint64_t left) {
  ByteCursor cursor(head, kCompressedMagic.size());
  const uint16_t version = cursor.u16();
  const uint16_t method = cursor.u16();
  if (version < 1 || version > kNewestVersion)
    return broken_compressed("it has the unknown version " + std::to_string(version));
  if (method > kZstd)
    return broken_compressed("it has the unknown method " + std::to_string(method));
  CompressedBundle bundle;
  bundle.compression = method == kZstd ? CodeCompression::zstd : CodeCompression::zlib;
  bundle.has_length = version > 1;
  bundle.length = left;
  if (version == 2) bundle.length = cursor.u32();
  if (version == 3) bundle.length = cursor.u64();
  bundle.size = version == 3 ? cursor.u64() : cursor.u32();
  cursor.u64();  // a hash of the contents, truncated MD5
  bundle.payload_at = cursor.offset();
  if (!cursor.ok() || bundle.length < bundle.payload_at || bundle.length > left) {
    return broken_compressed("it does not fit its section");
  }
  return bundle;
}

Done check_declared_size(const CompressedBundle& bundle, Window& payload) {
  const bool zlib = bundle.compression == CodeCompression::zlib;
  if (bundle.size / (zlib ? kMaxDeflateRatio : kMaxZstdRatio) > payload.size()) {
    return broken_compressed("its declared size exceeds what its data can decompress to");
  }
  if (zlib) return {};
  constexpr uint64_t kLongestHeader = 18;
  TRY(const std::string_view head, payload.at(0, std::min(payload.size(), kLongestHeader)));
  const unsigned long long size = ZSTD_getFrameContentSize(head.data(), head.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) return broken_compressed("its data is not a zstd frame");
  if (size != ZSTD_CONTENTSIZE_UNKNOWN && size < bundle.size) return short_data();
  return {};
}

Result<std::string> unpack_head(const CompressedBundle& bundle, Window& payload, uint64_t length) {
  std::string head(std::min(length, bundle.size), '\0');
  TRY_DONE(bundle.compression == CodeCompression::zlib ? unpack_zlib(Pieces(payload), head)
                                                       : unpack_zstd(Pieces(payload), head));
  return head;
}

}  // namespace pinwheel::binary
