#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::wheel {

/// One `Name: value` line; continuation lines are kept in the value, with their newline and indent.
struct Header {
  std::string name;
  std::string value;

  bool operator==(const Header&) const = default;
};

/// The format of METADATA, WHEEL and PKG-INFO: headers, then optionally an empty line and a body.
/// Order, spelling and repetition are kept.
struct HeaderBlock {
  std::vector<Header> headers = {};
  std::optional<std::string> body = std::nullopt;  ///< everything after the empty line

  /// The value of the first header of that name, case-insensitive.
  std::optional<std::string> get(std::string_view name) const;
  /// The values of all headers of that name, in order.
  std::vector<std::string> all(std::string_view name) const;
  /// Replaces the first header of that name in place and removes the others; appends it when there
  /// is none.
  void set(std::string_view name, std::string value);
  void add(std::string name, std::string value);
  void remove(std::string_view name);

  bool operator==(const HeaderBlock&) const = default;
};

/// Kind `check`, with the line number, when a line is neither a header nor a continuation. CRLF is
/// read as LF. `what` names the file in messages.
Result<HeaderBlock> parse_headers(std::string_view text, std::string_view what);
/// `parse_headers` reads it back to an equal value.
std::string to_string(const HeaderBlock& block);

}  // namespace pinwheel::wheel
