#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sighting.h"
#include "binary/elf_image.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// Tells where stretches of a library lie from its dynamic section, for one who has stretches
/// without knowing their offsets. Linkers put it in front of the global offset table, the data and,
/// where it was not stripped, the table of all symbols with their names.
class DynamicLandmark {
 public:
  /// Reads the headers alone. Kind `check` for what is no library with a dynamic section.
  static Result<DynamicLandmark> of(const ports::ByteSource& library);

  uint64_t offset() const { return offset_; }  ///< in the file
  uint64_t size() const { return size_; }      ///< bytes

  /// Unknown bytes of the stretch are zeros. It is `reaching` only for a stretch that holds all of
  /// the section: entries that point to the tables which the loader needs. The other answers are
  /// guesses by what the stretch ends with: symbols and their names come behind the section, all
  /// else in front of it, and so does an empty stretch, one that could not be unpacked: device code
  /// is packed as it is.
  Sighting look(std::string_view stretch) const;

 private:
  /// Whether the section begins here in the stretch.
  bool begins_at(std::string_view stretch, uint64_t at) const;
  bool is_loaded(uint64_t address) const;

  uint64_t offset_ = 0;
  uint64_t size_ = 0;
  uint32_t sections_ = 0;
  std::vector<Segment> loaded_;
};

}  // namespace pinwheel::binary
