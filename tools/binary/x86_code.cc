#include "binary/x86_code.h"

#include <array>

namespace pinwheel::binary {
namespace {

/// The bytes after an opcode. Immediates of 4 bytes have 2 with an operand size of 16 bits.
enum class Form : uint8_t {
  invalid,
  plain,
  imm8,
  imm16,
  imm32,
  rel32,  ///< 4 bytes for any operand size
  enter,
  address,
  wide,  ///< 8 bytes with REX.W
  modrm,
  modrm_imm8,
  modrm_imm32,
  test8,   ///< an immediate for two of its operations
  test32,  ///< the same
};

/// One character for each opcode of a row of sixteen.
constexpr Form form_of(char letter) {
  switch (letter) {
    case '.':
      return Form::plain;
    case 'b':
      return Form::imm8;
    case 'h':
      return Form::imm16;
    case 'd':
      return Form::imm32;
    case 'r':
      return Form::rel32;
    case 'e':
      return Form::enter;
    case 'a':
      return Form::address;
    case 'w':
      return Form::wide;
    case 'm':
      return Form::modrm;
    case 'B':
      return Form::modrm_imm8;
    case 'D':
      return Form::modrm_imm32;
    case 't':
      return Form::test8;
    case 'T':
      return Form::test32;
    default:
      return Form::invalid;
  }
}

using Rows = std::array<std::string_view, 16>;

// Intel SDM, volume 2, appendix A: tables. Prefixes have no form.
constexpr Rows kOneByte = {
    "mmmmbd--mmmmbd--", "mmmmbd--mmmmbd--", "mmmmbd--mmmmbd--", "mmmmbd--mmmmbd--",
    "----------------", "................", "---m----dDbB....", "bbbbbbbbbbbbbbbb",
    "BD-Bmmmmmmmmmmmm", "..........-.....", "aaaa....bd......", "bbbbbbbbwwwwwwww",
    "BBh.--BDe.h..b-.", "mmmm---.mmmmmmmm", "bbbbbbbbrr-b....", "-.--..tT......mm"};
constexpr Rows kTwoByte = {
    "mmmm-.....-.-m.B", "mmmmmmmmmmmmmmmm", "mmmm----mmmmmmmm", "......-.--------",
    "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "BBBBmmm.mm--mmmm",
    "rrrrrrrrrrrrrrrr", "mmmmmmmmmmmmmmmm", "...mBm--...mBmmm", "mmmmmmmmmmBmmmmm",
    "mmBmBBBm........", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm"};

constexpr std::array<Form, 256> forms(const Rows& rows) {
  std::array<Form, 256> out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = form_of(rows[i / 16][i % 16]);
  return out;
}
constexpr std::array<Form, 256> kOne = forms(kOneByte);
constexpr std::array<Form, 256> kTwo = forms(kTwoByte);

/// Whether an opcode after 0F operates on vectors: SSE's and MMX's.
constexpr bool is_vector(uint8_t opcode) {
  if (opcode < 0x28) return opcode >= 0x10 && opcode <= 0x17;
  if (opcode < 0x30) return true;
  if (opcode < 0x80) return opcode >= 0x50 && opcode != 0x77;
  return opcode == 0xC2 || (opcode >= 0xC4 && opcode <= 0xC6) || (opcode >= 0xD0 && opcode < 0xFF);
}

/// The maps of opcodes that VEX and EVEX select.
enum class Map : uint8_t {
  two_byte = 1,
  three_byte_38 = 2,
  three_byte_3a = 3,
  half5 = 5,
  half6 = 6
};

/// Whether an opcode after VEX operates on integers (BMI1, BMI2): ANDN, BLSR and the like, BZHI,
/// MULX, SHLX and RORX.
bool is_bmi(Map map, uint8_t opcode) {
  if (map == Map::three_byte_3a) return opcode == 0xF0;
  return map == Map::three_byte_38 && opcode >= 0xF2 && opcode <= 0xF7;
}

class Reader {
 public:
  explicit Reader(std::string_view code) : code_(code.substr(0, kLongestX86)) {}

  std::optional<X86Instruction> read() {
    const X86Kind kind = operation();
    if (broken_) return std::nullopt;
    return X86Instruction{static_cast<uint32_t>(at_), kind};
  }

 private:
  uint8_t next() {
    if (at_ >= code_.size()) {
      broken_ = true;
      return 0;
    }
    return static_cast<uint8_t>(code_[at_++]);
  }
  void skip(size_t count) {
    at_ += count;
    broken_ = broken_ || at_ > code_.size();
  }
  X86Kind reject() {
    broken_ = true;
    return X86Kind::other;
  }

  uint8_t prefixes() {
    while (true) {
      const uint8_t byte = next();
      switch (byte) {
        case 0x66:
          short_operand_ = true;
          break;
        case 0x67:
          short_address_ = true;
          break;
        case 0xF0:
        case 0xF2:
        case 0xF3:
        case 0x26:
        case 0x2E:
        case 0x36:
        case 0x3E:
        case 0x64:
        case 0x65:
          break;
        default:
          return byte;
      }
      if (broken_) return 0;
    }
  }

  X86Kind operation() {
    uint8_t opcode = prefixes();
    if ((opcode & 0xF0U) == 0x40) {
      wide_ = (opcode & 8U) != 0;
      opcode = next();
    }
    switch (opcode) {
      case 0x0F:
        return two_byte(next());
      case 0xC5:
        next();
        return vector(X86Kind::avx, static_cast<uint8_t>(Map::two_byte));
      case 0xC4: {
        const uint8_t map = next() & 0x1FU;
        next();
        return vector(X86Kind::avx, map);
      }
      case 0x62:
        return evex();
      case 0x8F:
        return xop();
      default:
        operands(kOne[opcode]);
        return X86Kind::other;
    }
  }

  X86Kind two_byte(uint8_t opcode) {
    if (opcode == 0x38) {
      const uint8_t third = next();
      operands(Form::modrm);
      // ADX, MOVBE, CRC32 and the like do not operate on vectors.
      return third < 0xC0 ? X86Kind::sse : X86Kind::other;
    }
    if (opcode == 0x3A) {
      next();
      operands(Form::modrm_imm8);
      return X86Kind::sse;
    }
    constexpr char kXgetbv = '\xD0';
    const bool xgetbv = opcode == 0x01 && at_ < code_.size() && code_[at_] == kXgetbv;
    operands(kTwo[opcode]);
    if (opcode == 0xA2 || xgetbv) return X86Kind::cpu_queries;
    return is_vector(opcode) ? X86Kind::sse : X86Kind::other;
  }

  /// The opcode and operands after a prefix that selects a map.
  X86Kind vector(X86Kind kind, uint8_t map) {
    const uint8_t opcode = next();
    switch (static_cast<Map>(map)) {
      case Map::two_byte:
        if (opcode == 0x77 && kind == X86Kind::avx) return kind;
        if (kTwo[opcode] != Form::modrm && kTwo[opcode] != Form::modrm_imm8) return reject();
        operands(kTwo[opcode]);
        return kind;
      case Map::three_byte_3a:
        operands(Form::modrm_imm8);
        return kind == X86Kind::avx && is_bmi(Map::three_byte_3a, opcode) ? X86Kind::bmi : kind;
      case Map::half5:
      case Map::half6:
        if (kind != X86Kind::avx512) return reject();
        [[fallthrough]];
      case Map::three_byte_38:
        operands(Form::modrm);
        return kind == X86Kind::avx && is_bmi(Map::three_byte_38, opcode) ? X86Kind::bmi : kind;
    }
    return reject();
  }

  X86Kind evex() {
    const uint8_t first = next();
    const uint8_t second = next();
    next();
    // Fixed bits, which data among the code rarely has.
    if ((first & 8U) != 0 || (second & 4U) == 0) return reject();
    return vector(X86Kind::avx512, first & 7U);
  }

  /// XOP if the map is one of its own; else `pop`.
  X86Kind xop() {
    const uint8_t map = at_ < code_.size() ? static_cast<uint8_t>(code_[at_]) & 0x1FU : 0;
    if (map < 8) {
      operands(Form::modrm);
      return X86Kind::other;
    }
    skip(2);
    next();
    if (map > 10) return reject();
    operands(map == 8 ? Form::modrm_imm8 : map == 9 ? Form::modrm : Form::modrm_imm32);
    return X86Kind::avx;
  }

  /// Skips ModRM, SIB and displacement; returns the operation that ModRM selects.
  uint8_t memory_operand() {
    const uint8_t modrm = next();
    const unsigned mode = modrm >> 6U;
    const unsigned base = modrm & 7U;
    if (mode != 3) {
      const bool indexed = base == 4;
      const bool no_base = (indexed ? next() & 7U : base) == 5 && mode == 0;
      if (mode == 1) skip(1);
      if (mode == 2 || no_base) skip(4);
    }
    return (modrm >> 3U) & 7U;
  }

  size_t word() const { return short_operand_ ? 2 : 4; }

  void operands(Form form) {
    switch (form) {
      case Form::invalid:
        broken_ = true;
        return;
      case Form::plain:
        return;
      case Form::imm8:
        return skip(1);
      case Form::imm16:
        return skip(2);
      case Form::imm32:
        return skip(word());
      case Form::rel32:
        return skip(4);
      case Form::enter:
        return skip(3);
      case Form::address:
        return skip(short_address_ ? 4 : 8);
      case Form::wide:
        return skip(wide_ ? 8 : word());
      case Form::modrm:
        memory_operand();
        return;
      case Form::modrm_imm8:
        memory_operand();
        return skip(1);
      case Form::modrm_imm32:
        memory_operand();
        return skip(word());
      case Form::test8:
        return skip(memory_operand() < 2 ? 1 : 0);
      case Form::test32:
        return skip(memory_operand() < 2 ? word() : 0);
    }
  }

  std::string_view code_;
  size_t at_ = 0;
  bool broken_ = false;
  bool short_operand_ = false;
  bool short_address_ = false;
  bool wide_ = false;
};

}  // namespace

std::optional<X86Instruction> read_x86(std::string_view code) {
  return Reader(code).read();
}

size_t count_x86(std::string_view code, X86Counts& counts) {
  size_t at = 0;
  while (at < code.size()) {
    const std::optional<X86Instruction> one = read_x86(code.substr(at));
    if (!one && code.size() - at < kLongestX86) return at;
    at += one ? one->length : 1;
    if (!one) continue;
    switch (one->kind) {
      case X86Kind::other:
        break;
      case X86Kind::sse:
        ++counts.sse;
        break;
      case X86Kind::avx:
        ++counts.avx;
        break;
      case X86Kind::bmi:
        ++counts.bmi;
        break;
      case X86Kind::avx512:
        ++counts.avx512;
        break;
      case X86Kind::cpu_queries:
        ++counts.cpu_queries;
        break;
    }
  }
  return at;
}

}  // namespace pinwheel::binary
