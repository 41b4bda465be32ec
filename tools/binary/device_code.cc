#include "binary/device_code.h"

#include "binary/elf_image.h"
#include "binary/fatbin.h"
#include "binary/hip_bundle.h"
#include "binary/window.h"

namespace pinwheel::binary {
namespace {

Result<Window> open_section(const ports::ByteSource& source, const Section& section) {
  if (section.offset > source.size() || section.size > source.size() - section.offset) {
    return broken_elf("a section of device code lies outside the file");
  }
  return Window(source, section.offset, section.size);
}

Done read_by_section(const ports::ByteSource& source, const Section& section,
                     std::vector<DeviceCode>& out) {
  if (section.size == 0) return {};
  if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin") {
    TRY(Window window, open_section(source, section));
    return read_fatbins(window, out);
  }
  if (section.name == ".hip_fatbin") {
    TRY(Window window, open_section(source, section));
    return read_hip_bundles(window, out);
  }
  return {};
}

}  // namespace

std::string_view to_string(CodeKind kind) {
  switch (kind) {
    case CodeKind::ptx:
      return "ptx";
    case CodeKind::cubin:
      return "cubin";
    case CodeKind::lto_ir:
      return "ltoir";
    case CodeKind::code_object:
      return "code-object";
    case CodeKind::other:
      break;
  }
  return "other";
}

std::string_view to_string(CodeCompression compression) {
  switch (compression) {
    case CodeCompression::lz4:
      return "lz4";
    case CodeCompression::zstd:
      return "zstd";
    case CodeCompression::zlib:
      return "zlib";
    case CodeCompression::none:
      break;
  }
  return "none";
}

Result<std::vector<DeviceCode>> read_device_code(const ports::ByteSource& source) {
  TRY(const ElfHeader header, read_elf_header(source));
  TRY(const Image image, Image::open(source, header));
  TRY(const SectionTable table, read_sections(image, header));
  std::vector<DeviceCode> out;
  for (const Section& section : table.sections) {
    TRY_DONE(read_by_section(source, section, out));
  }
  if (!table.sections.empty()) return out;
  for (const Segment& segment : image.segments()) {
    if (segment.type != kLoad) continue;
    TRY(Window window, open_section(source, {"", segment.offset, segment.size}));
    TRY_DONE(find_fatbins(window, out));
  }
  return out;
}

}  // namespace pinwheel::binary
