#include "binary/compressed_bundle.h"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

constexpr std::string_view kCompressedMagic = "CCOB";
constexpr uint64_t kMaxDeflateRatio = 1032;
constexpr uint64_t kMaxZlibSize = uint64_t{1} << 30U;

tl::unexpected<Error> broken_compressed(const std::string& why) {
  return fail(ErrorKind::check, "the compressed HIP offload bundle is corrupt: " + why);
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

// libdeflate has no streaming interface, so everything is decompressed.
Result<UnpackedBundle> unpack_zlib(const CompressedBundle& bundle, std::string_view payload) {
  if (bundle.size > kMaxZlibSize || bundle.size / kMaxDeflateRatio > payload.size()) {
    return broken_compressed("its declared size exceeds what its data can decompress to");
  }
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  UnpackedBundle out{std::string(bundle.size, '\0')};
  size_t used = 0;
  const libdeflate_result result =
      libdeflate_zlib_decompress_ex(decompressor.get(), payload.data(), payload.size(),
                                    out.head.data(), out.head.size(), &used, nullptr);
  if (result != LIBDEFLATE_SUCCESS) return broken_compressed("its data does not decompress");
  out.used = used;
  return out;
}

Result<UnpackedBundle> unpack_zstd(const CompressedBundle& bundle, std::string_view payload,
                                   uint64_t limit) {
  const size_t frame = ZSTD_findFrameCompressedSize(payload.data(), payload.size());
  if (ZSTD_isError(frame) != 0) return broken_compressed("its data is not a zstd frame");
  const std::unique_ptr<ZSTD_DStream, FreeStream> stream(ZSTD_createDStream());
  UnpackedBundle data{std::string(std::min(bundle.size, limit), '\0'), frame};
  ZSTD_outBuffer out{data.head.data(), data.head.size(), 0};
  ZSTD_inBuffer in{payload.data(), frame, 0};
  while (out.pos < out.size) {
    const size_t before_out = out.pos;
    const size_t before_in = in.pos;
    const size_t state = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(state) != 0) return broken_compressed("its data does not decompress");
    if (state == 0 || (out.pos == before_out && in.pos == before_in)) break;
  }
  if (out.pos < out.size) return broken_compressed("its data ends before its declared size");
  return data;
}

}  // namespace

bool is_compressed_bundle(std::string_view head) {
  return head.starts_with(kCompressedMagic);
}

Result<CompressedBundle> read_compressed_bundle(std::string_view head, uint64_t left) {
  ByteCursor cursor(head, kCompressedMagic.size());
  const uint16_t version = cursor.u16();
  const uint16_t method = cursor.u16();
  if (version < 1 || version > 3)
    return broken_compressed("it has the unknown version " + std::to_string(version));
  if (method > 1) return broken_compressed("it has the unknown method " + std::to_string(method));
  CompressedBundle bundle;
  bundle.compression = method == 0 ? CodeCompression::zlib : CodeCompression::zstd;
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

Result<UnpackedBundle> unpack_head(const CompressedBundle& bundle, std::string_view payload,
                                   uint64_t limit) {
  Result<UnpackedBundle> out = bundle.compression == CodeCompression::zlib
                                   ? unpack_zlib(bundle, payload)
                                   : unpack_zstd(bundle, payload, limit);
  if (out && bundle.has_length) out->used = payload.size();
  return out;
}

}  // namespace pinwheel::binary
