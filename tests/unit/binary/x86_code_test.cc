#include "binary/x86_code.h"

#include <string>

#include "unit/catch.h"

using namespace pinwheel::binary;

namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

struct Known {
  const char* what;
  std::string code;
  X86Kind kind;
};

}  // namespace

// The lengths are those that objdump gives.
TEST_CASE("an instruction has its length and its kind") {
  const std::vector<Known> all = {
      {"ret", bytes({0xc3}), X86Kind::other},
      {"endbr64", bytes({0xf3, 0x0f, 0x1e, 0xfa}), X86Kind::other},
      {"push %r15", bytes({0x41, 0x57}), X86Kind::other},
      {"movabs", bytes({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}), X86Kind::other},
      {"mov $1,%eax", bytes({0xb8, 1, 0, 0, 0}), X86Kind::other},
      {"mov $1,%ax", bytes({0x66, 0xb8, 1, 0}), X86Kind::other},
      {"movabs %al,0x..", bytes({0xa2, 1, 2, 3, 4, 5, 6, 7, 8}), X86Kind::other},
      {"lea 8(%rsp),%rax", bytes({0x48, 0x8d, 0x44, 0x24, 0x08}), X86Kind::other},
      {"lea 0(%rip),%rax", bytes({0x48, 0x8d, 0x05, 0, 0, 0, 0}), X86Kind::other},
      {"mov 0(,%rax,8),%rax", bytes({0x48, 0x8b, 0x04, 0xc5, 0, 0, 0, 0}), X86Kind::other},
      {"test $1,%al", bytes({0xf6, 0xc0, 1}), X86Kind::other},
      {"not %al", bytes({0xf6, 0xd0}), X86Kind::other},
      {"testl $1,(%rax)", bytes({0xf7, 0x00, 1, 0, 0, 0}), X86Kind::other},
      {"call", bytes({0xe8, 0, 0, 0, 0}), X86Kind::other},
      {"jne", bytes({0x0f, 0x85, 0, 0, 0, 0}), X86Kind::other},
      {"nopw 0(%rax,%rax,1)", bytes({0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}), X86Kind::other},
      {"cpuid", bytes({0x0f, 0xa2}), X86Kind::cpu_queries},
      {"xgetbv", bytes({0x0f, 0x01, 0xd0}), X86Kind::cpu_queries},
      {"movaps %xmm0,(%rsp)", bytes({0x0f, 0x29, 0x04, 0x24}), X86Kind::sse},
      {"pshufd $0,%xmm0,%xmm0", bytes({0x66, 0x0f, 0x70, 0xc0, 0x00}), X86Kind::sse},
      {"pshufb %xmm1,%xmm0", bytes({0x66, 0x0f, 0x38, 0x00, 0xc1}), X86Kind::sse},
      {"roundsd $1,%xmm1,%xmm0", bytes({0x66, 0x0f, 0x3a, 0x0b, 0xc1, 0x01}), X86Kind::sse},
      {"vzeroupper", bytes({0xc5, 0xf8, 0x77}), X86Kind::avx},
      {"vmovups 16(%rsp),%ymm0", bytes({0xc5, 0xfc, 0x10, 0x44, 0x24, 0x10}), X86Kind::avx},
      {"vfmadd213sd", bytes({0xc4, 0xe2, 0xf1, 0xa9, 0xc2}), X86Kind::avx},
      {"mulx", bytes({0xc4, 0xe2, 0xf3, 0xf6, 0xc2}), X86Kind::bmi},
      {"andn", bytes({0xc4, 0xe2, 0x78, 0xf2, 0xc1}), X86Kind::bmi},
      {"rorx $3", bytes({0xc4, 0xe3, 0x7b, 0xf0, 0xc1, 0x03}), X86Kind::bmi},
      {"vinsertf128 $1", bytes({0xc4, 0xe3, 0x7d, 0x18, 0xc1, 0x01}), X86Kind::avx},
      {"vmovdqu64 64(%rax),%zmm0", bytes({0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x40, 0x01}),
       X86Kind::avx512},
      {"vpternlogd", bytes({0x62, 0xf3, 0x7d, 0x48, 0x25, 0xc0, 0xff}), X86Kind::avx512},
      {"pop (%rax)", bytes({0x8f, 0x00}), X86Kind::other},
  };
  for (const Known& known : all) {
    INFO(known.what);
    const auto read = read_x86(known.code + std::string(16, '\x90'));
    REQUIRE(read);
    CHECK(read->length == known.code.size());
    CHECK(read->kind == known.kind);
    for (size_t cut = 0; cut < known.code.size(); ++cut) {
      const auto part = read_x86(std::string_view(known.code).substr(0, cut));
      CHECK((!part || part->length <= cut));
    }
  }
  CHECK_FALSE(read_x86(bytes({0x06})));
  CHECK_FALSE(read_x86(bytes({0x62, 0xf9, 0x00, 0x48, 0x6f, 0x40, 0x01})));
}

TEST_CASE(
    "instructions are counted over data among them, and the rest is left for the next piece") {
  X86Counts counts;
  const std::string code =
      bytes({0x06, 0x0f, 0x28, 0xc1, 0xc5, 0xf8, 0x77, 0x0f, 0xa2, 0xc3}) + std::string(16, '\x90');
  const std::string part = code + bytes({0x62, 0xf1, 0xfe});
  CHECK(count_x86(part, counts) == code.size());
  CHECK(counts == X86Counts{.sse = 1, .avx = 1, .cpu_queries = 1});
}
