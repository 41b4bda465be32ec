#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exports/table.h"

// A table as a file. Numbers are little-endian; `text` is a byte with its length and the bytes;
// `number` is LEB128 without a sign.
//
//   "PWEXPORT", u16 version (1), u16 builds, u32 bytes of the builds,
//   builds: text version, text architecture                       readable without the rest
//   u64 bytes of the body, u64 bytes of its zstd frame, the frame (with a checksum)
//
// The body:
//   number: `symbol_hash` of the bytes of the builds
//   number of texts, each a number with its length and the bytes: sonames, Python tags
//   number of records, each: build, soname, Python tag, number of needed, each needed
//   number of sets, each: number of runs, each: gap to the run before, length less one
//   number of symbols n; 8 planes of n bytes: byte k of each hash's difference to the one before;
//   4 planes of n bytes: byte k of each symbol's set
//
// Hashes are noise, so their differences are the least that can be stored; in planes the bytes that
// are zero everywhere cost nothing.
namespace pinwheel::exports {

/// The same libraries and symbols give the same bytes.
std::string serialize(const Table& table);

/// What `serialize` wrote. Kind `check` for anything else; `config` for a table of a newer format.
/// Nothing of what it announces is believed before it was compared with the bytes that are there.
Result<Table> parse_table(std::string_view bytes);

/// The builds alone, from the head. Errors as above.
Result<std::vector<Build>> read_builds(std::string_view bytes);

}  // namespace pinwheel::exports
