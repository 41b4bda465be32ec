#include "binary/device_code.h"

#include <algorithm>

#include "base/limits.h"
#include "binary/code_list.h"
#include "binary/elf_image.h"
#include "binary/fatbin.h"
#include "binary/hip_bundle.h"
#include "binary/window.h"

namespace pinwheel::binary {
namespace {

/// How often the bytes of a file are searched at most, as its segments may overlap a little.
constexpr uint64_t kMostSearched = 2;

Result<Window> open_section(const ports::ByteSource& source, const Section& section) {
  if (section.offset > source.size() || section.size > source.size() - section.offset) {
    return broken_elf("a section of device code extends past the end of the file");
  }
  return Window(source, section.offset, section.size);
}

bool holds_bundles(const Section& section) {
  return section.size > 0 && section.name == ".hip_fatbin";
}

bool holds_fatbins(const Section& section) {
  return section.size > 0 && (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin");
}

/// Sections that share bytes would be read once each: a small file could take unlimited time.
Done check_apart(const ports::ByteSource& source, const std::vector<Section>& sections) {
  uint64_t total = 0;
  for (const Section& section : sections) {
    if (!holds_fatbins(section) && !holds_bundles(section)) continue;
    TRY(const Window inside, open_section(source, section));
    total += inside.size();
    if (total > source.size()) return broken_elf("its sections of device code overlap");
  }
  return {};
}

Done read_by_section(const ports::ByteSource& source, const Section& section, CodeList& out) {
  if (holds_fatbins(section)) {
    TRY(Window window, open_section(source, section));
    return read_fatbins(window, out);
  }
  if (holds_bundles(section)) {
    TRY(Window window, open_section(source, section));
    return read_hip_bundles(window, out);
  }
  return {};
}

Done add_container(const FatbinContainer& container, CodeList& out) {
  if (container.fault) return fail(*container.fault);
  const uint32_t unit = out.next_unit();
  TRY_DONE(out.count());
  for (DeviceCode code : container.code) {
    TRY_DONE(out.count());
    code.unit = unit;
    out.add(std::move(code));
  }
  return {};
}

/// Only zeros are allowed from `from` to `to`: before the first container and after the last.
Done require_zeros(const ports::ByteSource& source, uint64_t from, uint64_t to) {
  Window window(source, from, to - from);
  TRY(const uint64_t end, window.skip_zeros(0));
  if (end == window.size()) return {};
  return broken_fatbin("a container is missing");
}

/// Takes the containers that fill a section, which has no other contents.
Done take_section(const ports::ByteSource& source, const Section& section,
                  const FatbinScanner& scanned, CodeList& out) {
  if (scanned.is_over()) return fail(too_many("the ELF file", limits::kDeviceCode));
  TRY(const Window inside, open_section(source, section));
  const uint64_t end = section.offset + inside.size();
  uint64_t at = section.offset;
  const std::vector<FatbinContainer>& containers = scanned.containers();
  auto next = std::partition_point(containers.begin(), containers.end(),
                                   [&](const auto& each) { return each.offset < section.offset; });
  for (; next != containers.end() && next->offset < end; ++next) {
    const FatbinContainer& container = *next;
    if (container.end > end) return broken_fatbin("a container is longer than its section");
    const bool first = at == section.offset;
    if (first) TRY_DONE(require_zeros(source, at, container.offset));
    if (!first && !container.zeros_before) {
      return broken_fatbin("a container is missing");
    }
    TRY_DONE(add_container(container, out));
    at = container.end;
  }
  return require_zeros(source, at, end);
}

bool is_loaded(const Image& image, const FatbinContainer& container) {
  return std::any_of(image.segments().begin(), image.segments().end(), [&](const Segment& segment) {
    return segment.type == kLoad && container.offset >= segment.offset &&
           container.end - segment.offset <= segment.size;
  });
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
  TRY_DONE(check_apart(source, table.sections));
  CodeList out;
  for (const Section& section : table.sections) {
    TRY_DONE(read_by_section(source, section, out));
  }
  if (!table.sections.empty()) return out.take();
  uint64_t searched = 0;
  for (const Segment& segment : image.segments()) {
    if (segment.type != kLoad) continue;
    TRY(Window window, open_section(source, {"", segment.offset, segment.size}));
    searched += segment.size;
    if (searched > kMostSearched * source.size()) return broken_elf("its segments overlap");
    TRY_DONE(find_fatbins(window, out));
  }
  return out.take();
}

Result<std::vector<DeviceCode>> read_device_code(const ports::ByteSource& source,
                                                 const FatbinScanner& scanned) {
  TRY(const ElfHeader header, read_elf_header(source));
  TRY(const Image image, Image::open(source, header));
  TRY(const SectionTable table, read_sections(image, header));
  TRY_DONE(check_apart(source, table.sections));
  CodeList out;
  for (const Section& section : table.sections) {
    TRY_DONE(holds_fatbins(section) ? take_section(source, section, scanned, out)
                                    : read_by_section(source, section, out));
  }
  if (!table.sections.empty()) return out.take();
  if (scanned.is_over()) return fail(too_many("the ELF file", limits::kDeviceCode));
  for (const FatbinContainer& container : scanned.containers()) {
    if (is_loaded(image, container)) TRY_DONE(add_container(container, out));
  }
  return out.take();
}

}  // namespace pinwheel::binary
