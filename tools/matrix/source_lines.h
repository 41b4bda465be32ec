#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pinwheel::matrix {

/// The lines of a file, for locations and excerpts. Refers to the text.
class SourceLines {
 public:
  SourceLines(std::string_view text, std::string file);

  /// Line and column from 0; a negative line is an unknown place. The excerpt of a long line is its
  /// beginning, or empty for a place beyond that.
  Location place(int line, int column) const;
  /// The file as a whole.
  Location whole() const { return {file_, 0, 0, {}}; }

  size_t count() const { return starts_.size(); }
  /// Without its line ending; empty beyond the last line.
  std::string_view line(size_t index) const;

 private:
  std::string_view text_;
  std::string file_;
  std::vector<uint32_t> starts_;  ///< of the lines, in the text
};

}  // namespace pinwheel::matrix
