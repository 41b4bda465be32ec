#include "wheel/deflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"
#include "base/text.h"

namespace pinwheel::wheel {
namespace {

constexpr int kLevel = 6;
constexpr uint64_t kMaxRatio = 1032;
constexpr size_t kGzipFrame = 18;  // header and trailer without optional fields

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
using Compressor = std::unique_ptr<libdeflate_compressor, FreeCompressor>;
using Decompressor = std::unique_ptr<libdeflate_decompressor, FreeDecompressor>;

}  // namespace

uint32_t crc32(std::string_view bytes, uint32_t before) {
  // Not ISA-L: it leaves the upper halves of vector registers in use, which slows SHA-256 by a
  // third.
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

std::string deflate(std::string_view bytes) {
  return deflate_within(bytes, UINT64_MAX).value_or(std::string());
}

std::optional<std::string> deflate_within(std::string_view bytes, uint64_t most) {
  std::string out(std::min(deflate_bound(bytes.size()), most), '\0');
  out.resize(deflate_into(bytes, out.data(), out.size()));
  if (out.empty()) return std::nullopt;
  return out;
}

uint64_t deflate_bound(uint64_t bytes) {
  const Compressor compressor(libdeflate_alloc_compressor(kLevel));
  return libdeflate_deflate_compress_bound(compressor.get(), bytes);
}

uint64_t deflate_into(std::string_view bytes, char* out, uint64_t room) {
  const Compressor compressor(libdeflate_alloc_compressor(kLevel));
  return libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(), out, room);
}

bool deflate_can_reach(uint64_t compressed, uint64_t size) {
  return size / kMaxRatio <= compressed;
}

Result<std::string> inflate(std::string_view stream, uint64_t size) {
  if (!deflate_can_reach(stream.size(), size)) {
    return fail(ErrorKind::check, "the declared size of the compressed data, " +
                                      format_bytes(size) + ", exceeds what " +
                                      format_bytes(stream.size()) + " of deflate can hold");
  }
  const Decompressor decompressor(libdeflate_alloc_decompressor());
  std::string out(size, '\0');
  size_t used = 0;
  const libdeflate_result result = libdeflate_deflate_decompress_ex(
      decompressor.get(), stream.data(), stream.size(), out.data(), out.size(), &used, nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    return fail(ErrorKind::check, "the compressed data is corrupt");
  }
  if (used != stream.size()) {
    return fail(ErrorKind::check, "the compressed data ends before its declared size");
  }
  return out;
}

std::string gzip(std::string_view bytes) {
  std::string out("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
  out += deflate(bytes);
  append_le<uint32_t>(out, crc32(bytes));
  append_le<uint32_t>(out, static_cast<uint32_t>(bytes.size()));
  return out;
}

Result<std::string> gunzip(std::string_view file, uint64_t limit) {
  if (file.size() < kGzipFrame || file.substr(0, 3) != std::string_view("\x1f\x8b\x08", 3)) {
    return fail(ErrorKind::check, "the file is not a gzip file");
  }
  const uint64_t size = load_le<uint32_t>(file, file.size() - 4).value_or(0);
  if (size > limit || !deflate_can_reach(file.size(), size)) {
    return fail(ErrorKind::check, "the gzip file unpacks to " + format_bytes(size) +
                                      ", more than the limit (" + format_bytes(limit) + ")");
  }
  const Decompressor decompressor(libdeflate_alloc_decompressor());
  std::string out(size, '\0');
  size_t used = 0;
  const libdeflate_result result = libdeflate_gzip_decompress_ex(
      decompressor.get(), file.data(), file.size(), out.data(), out.size(), &used, nullptr);
  if (result != LIBDEFLATE_SUCCESS || used != file.size()) {
    return fail(ErrorKind::check, "the gzip file is corrupt or has data after its end");
  }
  return out;
}

}  // namespace pinwheel::wheel
