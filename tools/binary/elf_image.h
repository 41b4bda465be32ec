#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binary/elf.h"
#include "ports/byte_source.h"

// The low-level structures of an ELF file, shared by the readers of this directory.
namespace pinwheel::binary {

inline constexpr uint64_t kHeaderSize = 64;  // the ELF file header
inline constexpr uint64_t kSymbolSize = 24;
inline constexpr uint64_t kMaxTable = uint64_t{64} << 20U;  // limit for one table

// Types of segments.
inline constexpr uint32_t kLoad = 1;
inline constexpr uint32_t kDynamic = 2;
inline constexpr uint32_t kGnuStack = 0x6474e551;
inline constexpr uint32_t kGnuRelro = 0x6474e552;

// Tags of the dynamic section.
inline constexpr uint64_t kNeeded = 1;
inline constexpr uint64_t kHash = 4;
inline constexpr uint64_t kStringTable = 5;
inline constexpr uint64_t kSymbolTable = 6;
inline constexpr uint64_t kStringSize = 10;
inline constexpr uint64_t kSymbolEntry = 11;
inline constexpr uint64_t kSoname = 14;
inline constexpr uint64_t kRpath = 15;
inline constexpr uint64_t kTextrel = 22;
inline constexpr uint64_t kBindNow = 24;
inline constexpr uint64_t kRunpath = 29;
inline constexpr uint64_t kFlags = 30;
inline constexpr uint64_t kRelr = 36;
inline constexpr uint64_t kGnuHash = 0x6ffffef5;
inline constexpr uint64_t kVersym = 0x6ffffff0;
inline constexpr uint64_t kFlags1 = 0x6ffffffb;
inline constexpr uint64_t kVerneed = 0x6ffffffe;
inline constexpr uint64_t kVerdef = 0x6ffffffc;
inline constexpr uint64_t kVerdefCount = 0x6ffffffd;

/// "the ELF file is corrupt: ...", kind `check`.
tl::unexpected<Error> broken_elf(const std::string& why);

/// A program header.
struct Segment {
  uint32_t type = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t size = 0;  ///< bytes in the file
};

struct SectionHeader {
  uint32_t name = 0;
  uint32_t type = 0;
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t flags = 0;
  uint32_t link = 0;  ///< index of another section
  uint32_t info = 0;
};

/// The ELF file header: offsets and counts of the tables. Counts that do not fit the header, as in
/// objects with thousands of sections, are read from the section table.
struct ElfHeader {
  uint16_t type = 0;
  uint16_t machine = 0;
  uint64_t segments_at = 0;
  uint64_t sections_at = 0;
  uint16_t segments = 0;
  uint32_t sections = 0;
  uint32_t names = 0;
};

/// The dynamic section: (tag, value), in order.
using Dynamic = std::vector<std::pair<uint64_t, uint64_t>>;
/// The first value of that tag; 0 when the tag is absent.
uint64_t value_of(const Dynamic& dynamic, uint64_t tag);
bool has_tag(const Dynamic& dynamic, uint64_t tag);

/// A string table. Names may overlap, so that a small table can have more names than fit memory:
/// those that are copied are counted.
class StringTable {
 public:
  explicit StringTable(std::string bytes) : bytes_(std::move(bytes)) {}

  /// The NUL-terminated string at an offset; empty when the offset is out of range, and for all
  /// that are asked for once there are more than `limits::kElfNames`.
  std::string at(uint64_t offset);
  /// Another copy of a string that `at` returned; counted too.
  std::string copy(const std::string& text);
  /// Kind `check` once the limit was hit.
  Done within() const;

 private:
  bool take(uint64_t length);

  std::string bytes_;
  uint64_t taken_ = 0;
};

/// Kind `check` for anything but a 64-bit little-endian ELF file.
Result<ElfHeader> read_elf_header(const ports::ByteSource& source);

/// The program headers, which map addresses to file offsets. The source must outlive the image.
class Image {
 public:
  static Result<Image> open(const ports::ByteSource& source, const ElfHeader& header);

  const std::vector<Segment>& segments() const { return segments_; }

  Result<std::string> at_offset(uint64_t offset, uint64_t size) const {
    return source_->read(offset, size);
  }
  /// Bytes from an address to the end of its segment, at most `size`.
  Result<std::string> at_address(uint64_t address, uint64_t size) const;

 private:
  explicit Image(const ports::ByteSource& source) : source_(&source) {}

  const ports::ByteSource* source_;
  std::vector<Segment> segments_;
};

/// The section table: the raw headers, and the named sections.
struct SectionTable {
  std::vector<SectionHeader> headers = {};
  std::vector<Section> sections = {};
};

/// Returns empty tables when the file has none.
Result<SectionTable> read_sections(const Image& image, const ElfHeader& header);
Result<Dynamic> read_dynamic(const Image& image);

}  // namespace pinwheel::binary
