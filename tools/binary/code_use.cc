#include "binary/code_use.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace pinwheel::binary {
namespace {

constexpr uint16_t kX86Machine = 62;
constexpr uint64_t kPiece = uint64_t{4} << 20U;
constexpr uint64_t kMostCode = uint64_t{32} << 20U;
constexpr uint64_t kMostConstants = uint64_t{16} << 20U;
/// A message of CUDA's runtime, of any release.
constexpr std::string_view kRuntimeMessage =
    "CUDA driver version is insufficient for CUDA runtime version";

Result<std::string> piece_of(const Section& section, uint64_t at, const ports::ByteSource& source) {
  const uint64_t length = std::min(kPiece, section.size - at);
  if (section.offset > source.size() || section.size > source.size() - section.offset) {
    return fail(ErrorKind::check, "a section lies outside of the file");
  }
  return source.read(section.offset + at, length);
}

Result<X86Counts> count(const Elf& elf, const ports::ByteSource& source) {
  X86Counts counts;
  uint64_t left = kMostCode;
  for (const Section& section : elf.sections) {
    if (!section.name.starts_with(".text")) continue;
    for (uint64_t at = 0; at < section.size && left > 0;) {
      TRY(const std::string piece, piece_of(section, at, source));
      const size_t used = count_x86(piece, counts);
      // An instruction truncated at the end of the section does not count.
      if (used == 0) break;
      at += used;
      left -= std::min<uint64_t>(left, used);
    }
  }
  return counts;
}

bool is_for_cuda(const Elf& elf) {
  return elf.section(".nv_fatbin") != nullptr ||
         std::any_of(elf.needed.begin(), elf.needed.end(), [](const std::string& library) {
           return library.starts_with("libcuda") || library.find("_cuda") != std::string::npos;
         });
}

Result<bool> has_runtime(const Elf& elf, const ports::ByteSource& source) {
  const Section* const constants = elf.section(".rodata");
  if (constants == nullptr || !is_for_cuda(elf) || elf.soname.starts_with("libcudart.so")) {
    return false;
  }
  const uint64_t end = std::min(constants->size, kMostConstants);
  for (uint64_t at = 0; at < end; at += kPiece - kRuntimeMessage.size()) {
    TRY(const std::string piece, piece_of(*constants, at, source));
    if (piece.find(kRuntimeMessage) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Result<CodeUse> code_use(const Elf& elf, const ports::ByteSource& source) {
  CodeUse use;
  if (elf.machine == kX86Machine) {
    TRY(use.x86, count(elf, source));
  }
  TRY(use.cuda_runtime, has_runtime(elf, source));
  return use;
}

}  // namespace pinwheel::binary
