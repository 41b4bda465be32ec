#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/chunk_position.h"
#include "base/result.h"
#include "binary/elf_image.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// Locates chunks of a library, whose offsets are unknown, relative to its dynamic section. Linkers
/// place that section before the global offset table, the data and, unless stripped, the full
/// symbol table with its names.
class DynamicLandmark {
 public:
  /// Reads only the headers. Kind `check` unless the file is a library with a dynamic section.
  static Result<DynamicLandmark> of(const ports::ByteSource& library);

  uint64_t offset() const { return offset_; }  ///< in the file
  uint64_t size() const { return size_; }      ///< bytes

  /// Unknown bytes of the chunk are zeros. The result is `reaching` only for a chunk that contains
  /// the whole section: entries that point to the tables the loader needs. The other results are
  /// guesses from the end of the chunk: symbols and their names follow the section, everything else
  /// precedes it. An empty chunk, one that could not be inflated, counts as `before`: device code
  /// is compressed already and is stored.
  ChunkPosition locate(std::string_view chunk) const;

 private:
  /// Whether the section begins at `at` in the chunk.
  bool begins_at(std::string_view chunk, uint64_t at) const;
  bool is_loaded(uint64_t address) const;

  uint64_t offset_ = 0;
  uint64_t size_ = 0;
  uint32_t sections_ = 0;
  std::vector<Segment> loaded_;
};

}  // namespace pinwheel::binary
