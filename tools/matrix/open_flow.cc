#include "matrix/open_flow.h"

#include <algorithm>
#include <string_view>

namespace pinwheel::matrix {
namespace {

class FlowScanner {
 public:
  /// Reads one line up to `end`.
  void read(std::string_view line, int number, size_t end) {
    starts_token_ = true;
    for (size_t i = 0; i < std::min(end, line.size()); ++i) {
      const Opening here{line[i], number, static_cast<int>(i)};
      if (quote_) {
        i += in_quote(line, i);
      } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
        return;
      } else {
        outside(here);
      }
    }
  }

  OpenAt result() const {
    OpenAt open{std::nullopt, quote_};
    if (!brackets_.empty()) open.bracket = brackets_.back();
    return open;
  }

 private:
  /// Returns how many characters to skip: an escaped quote does not end the text.
  size_t in_quote(std::string_view line, size_t i) {
    const char quote = quote_->character;
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (quote == '"' && line[i] == '\\') return 1;
    if (line[i] != quote) return 0;
    if (quote == '\'' && next == quote) return 1;
    quote_.reset();
    return 0;
  }

  void outside(const Opening& here) {
    const char c = here.character;
    if (c == ' ' || c == '\t') return;
    const bool may_open = starts_token_ || !brackets_.empty();
    if ((c == '"' || c == '\'') && starts_token_) {
      quote_ = here;
    } else if ((c == '[' || c == '{') && may_open) {
      brackets_.push_back(here);
    } else if ((c == ']' || c == '}') && !brackets_.empty()) {
      brackets_.pop_back();
    }
    // A quote or bracket within a plain word is part of it.
    starts_token_ = std::string_view("[{,:-?").find(c) != std::string_view::npos;
  }

  std::vector<Opening> brackets_;
  std::optional<Opening> quote_;
  bool starts_token_ = true;
};

}  // namespace

OpenAt open_before(const SourceLines& lines, int line, int column) {
  FlowScanner scanner;
  for (int number = 0; number <= line; ++number) {
    const std::string_view text = lines.line(static_cast<size_t>(number));
    scanner.read(text, number, number == line ? static_cast<size_t>(column) : text.size());
  }
  return scanner.result();
}

}  // namespace pinwheel::matrix
