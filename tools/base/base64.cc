#include "base/base64.h"

#include <sodium.h>

namespace pinwheel {

std::optional<std::string> from_base64(std::string_view text, Base64 alphabet) {
  const int variant = alphabet == Base64::padded ? sodium_base64_VARIANT_ORIGINAL
                                                 : sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  // Four digits are three bytes; a shorter rest is at most two.
  std::string bytes(text.size() / 4 * 3 + 2, '\0');
  size_t size = 0;
  const char* end = nullptr;
  const int failed = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                       text.data(), text.size(), nullptr, &size, &end, variant);
  if (failed != 0 || end != text.data() + text.size()) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace pinwheel
