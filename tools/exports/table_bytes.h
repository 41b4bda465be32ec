#pragma once
// The file format of a table. Integers are little-endian; `text` is a length byte followed by the
// bytes; `number` is unsigned LEB128.
//
//   "PWEXPORT", u16 version (1), u16 builds, u32 bytes of the builds,
//   builds: text version, text architecture                       readable without the rest
//   u64 bytes of the body, u64 bytes of its zstd frame, the frame (with a checksum)
//
// The body:
//   number: `symbol_hash` of the bytes of the builds
//   number of strings, each a number with its length and the bytes: sonames, Python tags
//   number of records, each: build, soname, Python tag, number of needed, each needed
//   number of sets, each: number of runs, each: gap to the previous run, length minus one
//   number of symbols n; 8 planes of n bytes: byte k of each hash's difference to the previous one;
//   4 planes of n bytes: byte k of each symbol's set
//
// Hashes are random, so their differences are the smallest encoding; in planes, bytes that are
// always zero compress to nothing.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exports/table.h"

namespace pinwheel::exports {

/// Deterministic: the same libraries and symbols give the same bytes.
std::string serialize(const Table& table);

/// Parses the output of `serialize`. Kind `check` for anything else; `config` for a table of a
/// newer format. Counts and sizes are checked against the bytes present before use.
Result<Table> parse_table(std::string_view bytes);

}  // namespace pinwheel::exports
