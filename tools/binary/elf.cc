#include "binary/elf.h"

#include <algorithm>

#include "binary/elf_image.h"
#include "binary/elf_symbols.h"
#include "binary/elf_versions.h"

namespace pinwheel::binary {
namespace {

void read_flags(const Image& image, const Dynamic& dynamic, Elf& elf) {
  constexpr uint32_t kExecute = 1;
  constexpr uint64_t kFlagTextrel = 4;
  constexpr uint64_t kFlagNow = 8;
  constexpr uint16_t kMachineX86 = 62;
  // Without PT_GNU_STACK the loader gives an x86-64 library an executable stack.
  elf.executable_stack = elf.machine == kMachineX86 && !image.segments().empty();
  for (const Segment& segment : image.segments()) {
    if (segment.type == kGnuStack) elf.executable_stack = (segment.flags & kExecute) != 0;
    if (segment.type == kGnuRelro) elf.relro = Relro::partial;
  }
  const uint64_t flags = value_of(dynamic, kFlags);
  elf.text_relocations = has_tag(dynamic, kTextrel) || (flags & kFlagTextrel) != 0;
  elf.packed_relocations = has_tag(dynamic, kRelr);
  const bool now = has_tag(dynamic, kBindNow) || (flags & kFlagNow) != 0 ||
                   (value_of(dynamic, kFlags1) & 1U) != 0;
  if (elf.relro == Relro::partial && now) elf.relro = Relro::full;
}

}  // namespace

const Section* Elf::section(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

bool is_elf(std::string_view first_bytes) {
  return first_bytes.starts_with(
      "\x7f"
      "ELF");
}

std::string machine_name(uint16_t machine) {
  if (machine == 62) return "x86_64";
  if (machine == 183) return "aarch64";
  return "machine " + std::to_string(machine);
}

Result<Elf> read_elf(const ports::ByteSource& source) {
  TRY(const ElfHeader header, read_elf_header(source));
  Elf elf;
  elf.type = header.type;
  elf.machine = header.machine;
  TRY(const Image image, Image::open(source, header));
  TRY(SectionTable table, read_sections(image, header));
  elf.sections = std::move(table.sections);
  TRY(const Dynamic dynamic, read_dynamic(image));
  read_flags(image, dynamic, elf);
  if (!has_tag(dynamic, kStringTable)) return elf;
  TRY(std::string bytes,
      image.at_address(value_of(dynamic, kStringTable), value_of(dynamic, kStringSize)));
  StringTable strings(std::move(bytes));
  for (const auto& [tag, value] : dynamic) {
    if (tag == kNeeded) elf.needed.push_back(strings.at(value));
    if (tag == kSoname) elf.soname = strings.at(value);
    if (tag == kRpath) elf.rpath = strings.at(value);
    if (tag == kRunpath) elf.runpath = strings.at(value);
  }
  VersionNames versions;
  if (has_tag(dynamic, kVerneed)) {
    TRY(elf.version_needs,
        read_version_needs(image, value_of(dynamic, kVerneed), strings, versions));
  }
  if (has_tag(dynamic, kVerdef)) {
    TRY_DONE(read_version_definitions(image, value_of(dynamic, kVerdef), strings, versions));
  }
  if (has_tag(dynamic, kSymbolTable)) {
    TRY_DONE(read_symbols(image, dynamic, {table.headers, strings, versions}, elf));
  }
  TRY_DONE(strings.within());
  return elf;
}

}  // namespace pinwheel::binary
