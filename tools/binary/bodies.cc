#include "binary/bodies.h"

#include <variant>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

constexpr uint16_t kX86 = 62;
constexpr uint16_t kArm = 183;
constexpr uint64_t kAlignment = 16;

uint64_t aligned(uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::string number_code(uint16_t machine, uint16_t value) {
  std::string code;
  if (machine == kX86) {
    code.push_back('\xb8');  // mov eax, value
    append_le<uint32_t>(code, value);
    code.push_back('\xc3');  // ret
  } else {
    append_le<uint32_t>(code, 0x52800000U | (uint32_t{value} << 5U));  // mov w0, value
    append_le<uint32_t>(code, 0xd65f03c0U);                            // ret
  }
  return code;
}

/// The string follows the code that returns its address.
std::string text_code(uint16_t machine, const std::string& text) {
  std::string code;
  if (machine == kX86) {
    code = "\x48\x8d\x05";  // lea rax, [rip + 1]
    append_le<uint32_t>(code, 1);
    code.push_back('\xc3');  // ret
  } else {
    append_le<uint32_t>(code, 0x10000040U);  // adr x0, . + 8
    append_le<uint32_t>(code, 0xd65f03c0U);  // ret
  }
  return code + text + '\0';
}

}  // namespace

bool has_code(uint16_t machine) {
  return machine == kX86 || machine == kArm;
}

SymbolPlace Bodies::add(const Export& symbol) {
  if (const auto* data = std::get_if<ZeroedData>(&symbol.body)) {
    const SymbolPlace place{SymbolArea::zeroed, aligned(zeroed_), data->size};
    zeroed_ = place.offset + place.size;
    return place;
  }
  code_.resize(aligned(code_.size()), '\0');
  const auto* text = std::get_if<ReturnsText>(&symbol.body);
  const std::string code = text != nullptr
                               ? text_code(machine_, text->text)
                               : number_code(machine_, std::get<ReturnsNumber>(symbol.body).value);
  const SymbolPlace place{SymbolArea::code, code_.size(), code.size()};
  code_ += code;
  return place;
}

}  // namespace pinwheel::binary
