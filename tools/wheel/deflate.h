#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::wheel {

/// The CRC-32 of zip and gzip; `before` is that of the bytes before these.
uint32_t crc32(std::string_view bytes, uint32_t before = 0);

/// Raw deflate at a fixed level of one implementation (libdeflate): the output is deterministic,
/// which it is not across zlib and its replacements.
std::string deflate(std::string_view bytes);
/// The same, taking no more than `most` bytes of memory for it; nullopt when that is too little.
std::optional<std::string> deflate_within(std::string_view bytes, uint64_t most);
/// The most bytes that `deflate` makes of `bytes`.
uint64_t deflate_bound(uint64_t bytes);
/// The same as `deflate`, into `room` bytes at `out`: their number, or 0 when that is too little.
uint64_t deflate_into(std::string_view bytes, char* out, uint64_t room);
/// Inflates a raw deflate stream to exactly `size` bytes. Kind `check` when the stream is corrupt,
/// has another size, or `size` exceeds the maximum ratio of deflate (1032:1).
Result<std::string> inflate(std::string_view stream, uint64_t size);

/// Whether `compressed` bytes of deflate can inflate to `size` bytes at all.
bool deflate_can_reach(uint64_t compressed, uint64_t size);

/// A gzip file with a fixed header: no name, time 0, "unknown" system.
std::string gzip(std::string_view bytes);
/// The contents of a gzip file of one member; more than `limit` bytes are rejected before they are
/// allocated. Kind `check` when the file is corrupt.
Result<std::string> gunzip(std::string_view file, uint64_t limit);

}  // namespace pinwheel::wheel
