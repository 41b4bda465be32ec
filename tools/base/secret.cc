#include "base/secret.h"

namespace pinwheel {

std::string redact(std::string_view text, const Secret& secret) {
  std::string out(text);
  const std::string& needle = secret.reveal();
  if (!secret.can_be_hidden()) return out;
  for (size_t at = out.find(needle); at != std::string::npos; at = out.find(needle, at + 3)) {
    out.replace(at, needle.size(), "***");
  }
  return out;
}

}  // namespace pinwheel
