#include "publish/credential_variable.h"

#include <cctype>

namespace pinwheel::publish {

std::string credential_variable(std::string_view prefix, std::string_view target) {
  std::string out(prefix);
  for (const char c : target) {
    const auto byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return out;
}

}  // namespace pinwheel::publish
