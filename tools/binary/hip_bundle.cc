#include "binary/hip_bundle.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/limits.h"

namespace pinwheel::binary {
namespace {

constexpr uint16_t kNewestVersion = 3;
constexpr uint16_t kZstd = 1;  // the method; zlib is 0
constexpr uint64_t kMaxDeflateRatio = 1032;

tl::unexpected<Error> broken_compressed(const std::string& why) {
  return fail(ErrorKind::check, "the compressed HIP offload bundle is corrupt: " + why);
}

// The maximum of a zstd block: 128 KB, at least from its header and one byte.
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

bool is_compressed_bundle(std::string_view head) {
  return head.starts_with(kCompressedMagic);
}

/// Whether it also has a version and a method that exist.
bool has_known_form(std::string_view head) {
  ByteCursor cursor(head, kCompressedMagic.size());
  const uint16_t version = cursor.u16();
  const uint16_t method = cursor.u16();
  return is_compressed_bundle(head) && cursor.ok() && version >= 1 && version <= kNewestVersion &&
         method <= kZstd;
}

/// Reads the header at the beginning of `head`; `left` bytes remain in the section. Kind `check`
/// when it does not fit, or has an unknown version or method.
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

/// Kind `check` when the payload cannot decompress to the declared size.
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

/// Decompresses the first `length` bytes, at most the declared size, reading only as much as
/// needed. Kind `check` when the data is corrupt or ends before them.
Result<std::string> unpack_head(const CompressedBundle& bundle, Window& payload, uint64_t length) {
  std::string head(std::min(length, bundle.size), '\0');
  TRY_DONE(bundle.compression == CodeCompression::zlib ? unpack_zlib(Pieces(payload), head)
                                                       : unpack_zstd(Pieces(payload), head));
  return head;
}

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
/// Enough for the table of nearly every bundle.
constexpr uint64_t kUsualTable = 4096;

tl::unexpected<Error> broken_bundle(const std::string& why) {
  return fail(ErrorKind::check, "the HIP offload bundle is corrupt: " + why);
}

// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+": kind, triple with a possibly empty environment, target.
// Generic target names contain hyphens.
std::string target_of(std::string_view id) {
  const size_t gfx = id.find("-gfx");
  if (gfx != std::string_view::npos) return std::string(id.substr(gfx + 1));
  const size_t empty = id.find("--");
  return std::string(empty == std::string_view::npos ? id : id.substr(empty + 2));
}

struct Bundle {
  std::vector<DeviceCode> codes;
  uint64_t entries = 0;
  uint64_t length = 0;
};

/// Reads a bundle's table from its first bytes; the bundle has at most `size` bytes. Nothing when
/// the table does not end in them.
Result<std::optional<Bundle>> read_table(std::string_view head, uint64_t size) {
  ByteCursor cursor(head);
  if (cursor.text(kBundleMagic.size()) != kBundleMagic)
    return broken_bundle("its magic is missing");
  const uint64_t count = cursor.u64();
  Bundle bundle;
  for (; bundle.entries < count && cursor.ok(); ++bundle.entries) {
    const uint64_t offset = cursor.u64();
    const uint64_t length = cursor.u64();
    const uint64_t id_length = cursor.u64();
    if (cursor.ok()) TRY_DONE(check_size("an id in the HIP bundle", id_length, limits::kGpuTarget));
    const std::string_view id = cursor.text(id_length);
    if (!cursor.ok()) break;
    if (offset > size || length > size - offset)
      return broken_bundle("a code object lies outside it");
    bundle.length = std::max(bundle.length, offset + length);
    if (id.starts_with("host-")) continue;
    bundle.codes.push_back({CodeKind::code_object,
                            target_of(id),
                            CodeCompression::none,
                            length,
                            length,
                            {},
                            0,
                            offset});
  }
  if (!cursor.ok()) return std::nullopt;
  bundle.length = std::max(bundle.length, cursor.offset());
  return bundle;
}

/// Reads the table of a bundle of at most `size` bytes, whose first bytes `head` returns.
template <class Head>
Result<Bundle> read_table_of(uint64_t size, const Head& head) {
  for (const uint64_t length : {kUsualTable, limits::kBundleTable.most}) {
    TRY(const std::string bytes, head(std::min(size, length)));
    TRY(std::optional<Bundle> bundle, read_table(bytes, size));
    if (bundle) return *std::move(bundle);
    if (length >= size) return broken_bundle("its table is truncated");
  }
  return fail(too_large("the table of a HIP bundle", limits::kBundleTable));
}

/// The beginning of the next bundle, at or after `at`: version 1 does not state its length. The
/// beginning of a bundle has eight bytes with few values, so a random match is rare.
Result<uint64_t> next_bundle(Window& section, uint64_t at) {
  constexpr uint64_t kStep = 32768;
  constexpr uint64_t kLongestHeader = 32;
  while (at < section.size()) {
    const uint64_t left = section.size() - at;
    TRY(const std::string_view bytes, section.at(at, std::min(kStep + kLongestHeader, left)));
    size_t found = bytes.find(kBundleMagic);
    for (size_t packed = bytes.find(kCompressedMagic); packed < found;
         packed = bytes.find(kCompressedMagic, packed + 1)) {
      if (has_known_form(bytes.substr(packed))) found = packed;
    }
    if (found != std::string_view::npos) return at + found;
    at += std::min(kStep, left);
  }
  return section.size();
}

struct Place {
  uint64_t at = 0;  ///< offset in the section
  uint64_t left = 0;
};

/// A bundle that is not compressed.
Result<Bundle> read_plain(Window& section, const Place& place) {
  TRY(Bundle bundle, read_table_of(place.left, [&](uint64_t length) -> Result<std::string> {
        TRY(const std::string_view bytes, section.at(place.at, length));
        return std::string(bytes);
      }));
  for (DeviceCode& code : bundle.codes) code.offset += section.start() + place.at;
  return bundle;
}

Result<Bundle> read_packed(Window& section, const Place& place, std::string_view head) {
  TRY(CompressedBundle packed, read_compressed_bundle(head, place.left));
  if (!packed.has_length) {
    TRY(const uint64_t end, next_bundle(section, place.at + packed.payload_at));
    packed.length = end - place.at;
  }
  Window payload = section.part(place.at + packed.payload_at, packed.length - packed.payload_at);
  TRY_DONE(check_declared_size(packed, payload));
  TRY(Bundle bundle, read_table_of(packed.size, [&](uint64_t length) {
        return unpack_head(packed, payload, length);
      }));
  for (DeviceCode& code : bundle.codes) {
    code.compression = packed.compression;
    code.stored_size = 0;
    code.offset = 0;
  }
  bundle.length = packed.length;
  return bundle;
}

/// Adds the code of one bundle; returns its length.
Result<uint64_t> read_bundle(Window& section, const Place& place, CodeList& out) {
  TRY(const std::string_view head, section.at(place.at, std::min(place.left, kUsualTable)));
  TRY(Bundle bundle, is_compressed_bundle(head) ? read_packed(section, place, std::string(head))
                                                : read_plain(section, place));
  TRY_DONE(out.count());
  for (uint64_t i = 0; i < bundle.entries; ++i) TRY_DONE(out.count());
  const uint32_t unit = out.next_unit();
  for (DeviceCode& code : bundle.codes) {
    code.unit = unit;
    out.add(std::move(code));
  }
  return bundle.length;
}

}  // namespace

Done read_hip_bundles(Window& section, CodeList& out) {
  TRY(uint64_t at, section.skip_zeros(0));
  while (at < section.size()) {
    TRY(const uint64_t length, read_bundle(section, {at, section.size() - at}, out));
    TRY(at, section.skip_zeros(at + length));
  }
  return {};
}

}  // namespace pinwheel::binary
