#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::wheel {

/// The CRC-32 of zip and gzip.
uint32_t crc32(std::string_view bytes);

/// Raw deflate at one fixed level of one implementation (libdeflate): the same bytes give the same
/// bytes, which zlib and its replacements do not promise each other.
std::string deflate(std::string_view bytes);
/// Inflates a raw deflate stream to exactly `size` bytes. Kind `check` when the stream is damaged,
/// gives another size, or announces more than deflate can reach (1032 times its input).
Result<std::string> inflate(std::string_view stream, uint64_t size);

/// Whether `size` bytes can come out of `compressed` bytes of deflate at all.
bool deflate_can_reach(uint64_t compressed, uint64_t size);

/// A gzip file with a fixed header: no name, time 0, "unknown" system.
std::string gzip(std::string_view bytes);
/// The contents of a gzip file of one member; refuses more than `limit` bytes before they are
/// allocated. Kind `check` on any damage.
Result<std::string> gunzip(std::string_view file, uint64_t limit);

}  // namespace pinwheel::wheel
