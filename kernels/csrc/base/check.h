#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace pinwheel {

inline void append_text(std::string& text, const char* part) {
  text += part;
}
inline void append_text(std::string& text, const std::string& part) {
  text += part;
}
template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
void append_text(std::string& text, Number part) {
  text += std::to_string(part);
}

/// Throws std::runtime_error (RuntimeError in Python) "pinwheel::<op>: <parts>".
template <class... Parts>
[[noreturn]] void fail(const char* op, const Parts&... parts) {
  std::string text = std::string("pinwheel::") + op + ": ";
  (append_text(text, parts), ...);
  throw std::runtime_error(text);
}

template <class... Parts>
void require(bool holds, const char* op, const Parts&... parts) {
  if (!holds) fail(op, parts...);
}

}  // namespace pinwheel
