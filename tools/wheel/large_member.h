#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "ports/large_memory.h"
#include "wheel/zip_reader.h"
#include "wheel/zip_writer.h"

namespace pinwheel::wheel {

/// Whether a member is too large to be held in memory.
bool is_large(const ZipMember& member);

/// A member's contents in large memory, inflated and checked as `ZipReader::read` does.
struct LargeContents {
  std::unique_ptr<ports::LargeMemory> memory;
  std::string sha256;  ///< base64url without padding
};
/// `member` is not empty.
Result<LargeContents> read_large(const ZipReader& zip, const ZipMember& member,
                                 ports::LargeMemories& memories);

/// A compressed member, in large memory.
struct LargePacked {
  std::unique_ptr<ports::LargeMemory> memory;
  PackedView view;  ///< of that memory
};
/// The bytes and the errors are those of `pack_member_within`.
Result<LargePacked> pack_large(PackedView named, LargeContents contents,
                               ports::LargeMemories& memories, uint64_t most);

}  // namespace pinwheel::wheel
