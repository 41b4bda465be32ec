#pragma once
#include <libdeflate.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace pinwheel::binary {

/// An offload bundle with these (id, contents), each at an offset divisible by 4096.
inline std::string make_bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string table = "__CLANG_OFFLOAD_BUNDLE__";
  append_le<uint64_t>(table, entries.size());
  std::string contents;
  for (const auto& [id, code] : entries) {
    append_le<uint64_t>(table, 4096 + contents.size());
    append_le<uint64_t>(table, code.size());
    append_le<uint64_t>(table, id.size());
    table += id;
    contents += code;
    contents.resize((contents.size() + 4095) / 4096 * 4096, '\0');
  }
  table.resize(4096, '\0');
  return table + contents;
}

inline std::string zlib_of(const std::string& bytes) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string out(libdeflate_zlib_compress_bound(compressor, bytes.size()), '\0');
  out.resize(
      libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

inline std::string zstd_of(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

/// A compressed bundle; `size` is what it says of its contents.
inline std::string make_ccob(uint16_t version, uint16_t method, const std::string& payload,
                             uint64_t size) {
  std::string out = "CCOB";
  append_le<uint16_t>(out, version);
  append_le<uint16_t>(out, method);
  const uint64_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
  if (version == 2) append_le<uint32_t>(out, static_cast<uint32_t>(header + payload.size()));
  if (version == 3) append_le<uint64_t>(out, header + payload.size());
  if (version == 3) {
    append_le<uint64_t>(out, size);
  } else {
    append_le<uint32_t>(out, static_cast<uint32_t>(size));
  }
  append_le<uint64_t>(out, 0);
  return out + payload;
}

}  // namespace pinwheel::binary
