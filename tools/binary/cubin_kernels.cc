#include "binary/cubin_kernels.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "binary/elf_image.h"
#include "binary/fatbin.h"
#include "binary/unpack_block.h"

namespace pinwheel::binary {
namespace {

constexpr uint16_t kCudaMachine = 190;    // EM_CUDA
constexpr uint32_t kSymbolTableType = 2;  // SHT_SYMTAB
constexpr uint8_t kFunctionType = 2;      // STT_FUNC
constexpr uint8_t kCudaEntry = 0x10;      // STO_CUDA_ENTRY, in the field `st_other`

// Formats of attributes: the data follows the header, or is its second half.
constexpr uint8_t kDataFollows = 4;

// Attributes, by the names that cuobjdump shows after EIATTR_.
constexpr uint8_t kMaxThreads = 0x05;
constexpr uint8_t kReqntid = 0x10;
constexpr uint8_t kFrameSize = 0x11;
constexpr uint8_t kMinStackSize = 0x12;
constexpr uint8_t kRegcount = 0x2f;
constexpr uint8_t kNumBarriers = 0x4c;
constexpr uint8_t kAnnotations = 0x55;

constexpr uint32_t kSpillOrRefill = 1;  // the kind of an annotation
constexpr uint32_t kUnbounded = UINT32_MAX;
constexpr uint64_t kMostThreads = uint64_t{1} << 32U;

/// What the tables say about a kernel, before it is put together.
struct Draft {
  CubinKernel kernel;
  std::optional<uint32_t> frame;
  std::optional<uint32_t> min_stack;
  std::optional<uint32_t> barriers;
  uint32_t marked = 0;           ///< instructions that spill or refill
  bool has_other_marks = false;  ///< annotations of an unknown kind, which end the list
};

struct Drafts {
  std::vector<Draft> all;
  std::unordered_map<std::string, size_t> by_name;
  std::unordered_map<uint32_t, size_t> by_symbol;

  Draft* named(const std::string& name) {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : &all[found->second];
  }
  Draft* numbered(uint32_t symbol) {
    const auto found = by_symbol.find(symbol);
    return found == by_symbol.end() ? nullptr : &all[found->second];
  }
};

struct Attribute {
  uint8_t id = 0;
  uint16_t value = 0;          ///< if no data follows
  std::string_view data = {};  ///< otherwise
};

/// Calls `take` for each attribute of a section. Kind `check` if one does not fit it.
template <class Take>
Done each_attribute(std::string_view section, const Take& take) {
  ByteCursor cursor(section);
  while (cursor.left() > 0) {
    const uint8_t format = cursor.u8();
    Attribute attribute;
    attribute.id = cursor.u8();
    attribute.value = cursor.u16();
    if (format == kDataFollows) attribute.data = cursor.text(attribute.value);
    if (!cursor.ok()) return broken_elf("an attribute of its kernels does not fit its section");
    take(attribute);
  }
  return {};
}

/// An attribute of `.nv.info`: of the kernel with that symbol.
void take_indexed(const Attribute& attribute, Drafts& drafts) {
  const auto symbol = load_le<uint32_t>(attribute.data, 0);
  const auto value = load_le<uint32_t>(attribute.data, 4);
  Draft* const draft = symbol && value ? drafts.numbered(*symbol) : nullptr;
  if (draft == nullptr) return;
  if (attribute.id == kRegcount) draft->kernel.registers = *value;
  if (attribute.id == kFrameSize) draft->frame = *value;
  if (attribute.id == kMinStackSize) draft->min_stack = *value;
}

/// The product of three sizes of a block; nullopt for one that no GPU has.
std::optional<uint64_t> block_of(std::string_view data) {
  uint64_t threads = 1;
  ByteCursor cursor(data);
  for (int i = 0; i < 3; ++i) {
    const uint64_t size = cursor.u32();
    if (!cursor.ok() || size > kMostThreads / threads) return std::nullopt;
    threads *= std::max<uint64_t>(size, 1);
  }
  return threads;
}

void take_annotations(std::string_view data, Draft& draft) {
  ByteCursor cursor(data);
  while (cursor.left() > 0) {
    const uint32_t kind = cursor.u32();
    cursor.u32();  // offset of the instruction
    if (kind != kSpillOrRefill || !cursor.ok()) {
      draft.has_other_marks = true;
      return;
    }
    ++draft.marked;
  }
}

/// An attribute of `.nv.info.NAME`.
void take_own(const Attribute& attribute, Draft& draft) {
  if (attribute.id == kNumBarriers) draft.barriers = attribute.value & 0xffU;
  if (attribute.id == kMaxThreads || attribute.id == kReqntid) {
    draft.kernel.threads = block_of(attribute.data);
  }
  if (attribute.id == kAnnotations) take_annotations(attribute.data, draft);
}

/// The kernels by their symbols.
Result<Drafts> read_entries(const Image& image, const SectionTable& table) {
  Drafts drafts;
  const auto symbols =
      std::find_if(table.headers.begin(), table.headers.end(),
                   [](const SectionHeader& each) { return each.type == kSymbolTableType; });
  if (symbols == table.headers.end()) return drafts;
  if (symbols->size / kSymbolSize > limits::kElfSymbols.most) {
    return fail(too_many("the cubin", limits::kElfSymbols));
  }
  if (symbols->link >= table.headers.size()) return broken_elf("its symbols have no names");
  const SectionHeader& of_names = table.headers[symbols->link];
  TRY_DONE(check_size("the names of a cubin", of_names.size, limits::kElfNames));
  TRY(std::string bytes_of_names, image.at_offset(of_names.offset, of_names.size));
  StringTable names(std::move(bytes_of_names));
  TRY(const std::string bytes, image.at_offset(symbols->offset, symbols->size));
  ByteCursor cursor(bytes);
  for (uint32_t number = 0; cursor.left() >= kSymbolSize; ++number) {
    const uint32_t name = cursor.u32();
    const uint8_t info = cursor.u8();
    const uint8_t other = cursor.u8();
    cursor.text(2 + 8 + 8);  // section, value, size
    if ((info & 0xfU) != kFunctionType || (other & kCudaEntry) == 0) continue;
    Draft draft;
    draft.kernel.name = names.at(name);
    const std::string known = names.copy(draft.kernel.name);
    TRY_DONE(names.within());
    if (!drafts.by_name.try_emplace(known, drafts.all.size()).second) continue;
    drafts.by_symbol.emplace(number, drafts.all.size());
    drafts.all.push_back(std::move(draft));
  }
  return drafts;
}

/// The header of a kernel's instructions: older cubins have resources in it.
void take_code(const SectionHeader& header, Draft& draft) {
  constexpr uint32_t kRegistersFrom = 24;
  constexpr uint64_t kBarriersFrom = 20;
  constexpr uint64_t kBarriersMask = 0x7f;
  draft.kernel.code_size = header.size;
  if (draft.kernel.registers == 0) draft.kernel.registers = header.info >> kRegistersFrom;
  if (!draft.barriers) {
    draft.kernel.barriers = static_cast<uint32_t>((header.flags >> kBarriersFrom) & kBarriersMask);
  }
}

enum class SectionUse { none, code, info, shared, constant };

/// What a section has for the kernel that its name ends in.
std::pair<SectionUse, std::string> use_of(const std::string& section) {
  constexpr std::array<std::pair<std::string_view, SectionUse>, 4> kUses = {{
      {".text.", SectionUse::code},
      {".nv.info.", SectionUse::info},
      {".nv.shared.", SectionUse::shared},
      {".nv.constant0.", SectionUse::constant},
  }};
  for (const auto& [prefix, use] : kUses) {
    if (section.starts_with(prefix)) return {use, section.substr(prefix.size())};
  }
  return {SectionUse::none, {}};
}

Done take_section_of(const Image& image, const SectionHeader& header, SectionUse use,
                     Draft& draft) {
  switch (use) {
    case SectionUse::code:
      take_code(header, draft);
      break;
    case SectionUse::shared:
      draft.kernel.shared = header.size;
      break;
    case SectionUse::constant:
      draft.kernel.constant = header.size;
      break;
    case SectionUse::info: {
      TRY(const std::string bytes, image.at_offset(header.offset, header.size));
      return each_attribute(bytes, [&](const Attribute& each) { take_own(each, draft); });
    }
    case SectionUse::none:
      break;
  }
  return {};
}

/// Attributes are read first: they precede what the headers say.
Done take_sections(const Image& image, const SectionTable& table, uint64_t file_size,
                   Drafts& drafts) {
  uint64_t read = 0;
  for (size_t i = 0; i < table.sections.size(); ++i) {
    const std::string& name = table.sections[i].name;
    if (name != ".nv.info" && !name.starts_with(".nv.info.")) continue;
    // Sections that share bytes would be read once each.
    read += std::min(table.headers[i].size, file_size);
    if (read > 2 * file_size) return broken_elf("the attributes of its kernels overlap");
    if (name != ".nv.info") continue;
    TRY(const std::string bytes, image.at_offset(table.headers[i].offset, table.headers[i].size));
    TRY_DONE(each_attribute(bytes, [&](const Attribute& each) { take_indexed(each, drafts); }));
  }
  for (const bool attributes : {true, false}) {
    for (size_t i = 0; i < table.sections.size(); ++i) {
      const auto [use, kernel] = use_of(table.sections[i].name);
      if (use == SectionUse::none || (use == SectionUse::info) != attributes) continue;
      Draft* const draft = drafts.named(kernel);
      if (draft != nullptr) TRY_DONE(take_section_of(image, table.headers[i], use, *draft));
    }
  }
  return {};
}

void finish_draft(Draft& draft, bool marks_spills) {
  CubinKernel& kernel = draft.kernel;
  if (draft.barriers) kernel.barriers = *draft.barriers;
  kernel.stack = draft.min_stack ? draft.min_stack : draft.frame;
  if (kernel.stack == kUnbounded) kernel.stack.reset();
  kernel.spills = draft.marked;
  const bool is_sure = kernel.stack == 0U || marks_spills;
  if (draft.has_other_marks || (draft.marked == 0 && !is_sure)) kernel.spills.reset();
}

/// The header of an entry, which is longer than its common part in newer versions of the format.
Result<uint64_t> payload_offset(const ports::ByteSource& file, const DeviceCode& code) {
  constexpr uint64_t kHeaderLengthAt = 4;
  TRY(const std::string head, file.read(code.offset, kFatbinEntryHeader));
  return code.offset + load_le<uint32_t>(head, kHeaderLengthAt).value_or(0);
}

}  // namespace

Result<std::vector<CubinKernel>> read_cubin_kernels(const ports::ByteSource& cubin) {
  TRY(const ElfHeader header, read_elf_header(cubin));
  if (header.machine != kCudaMachine) {
    return fail(ErrorKind::check, "the ELF file is not for CUDA");
  }
  TRY(const Image image, Image::open(cubin, header));
  TRY(const SectionTable table, read_sections(image, header));
  TRY(Drafts drafts, read_entries(image, table));
  TRY_DONE(take_sections(image, table, cubin.size(), drafts));
  const bool marks_spills = std::any_of(drafts.all.begin(), drafts.all.end(),
                                        [](const Draft& draft) { return draft.marked > 0; });
  std::vector<CubinKernel> kernels;
  kernels.reserve(drafts.all.size());
  for (Draft& draft : drafts.all) {
    finish_draft(draft, marks_spills);
    kernels.push_back(std::move(draft.kernel));
  }
  return kernels;
}

Result<std::string> read_cubin(const ports::ByteSource& file, const DeviceCode& code) {
  if (code.kind != CodeKind::cubin) {
    return fail(ErrorKind::check, "the device code is not a cubin");
  }
  TRY_DONE(check_size("a cubin", std::max(code.size, code.stored_size), limits::kCubin));
  TRY(const uint64_t payload, payload_offset(file, code));
  TRY(std::string stored, file.read(payload, code.stored_size));
  switch (code.compression) {
    case CodeCompression::none:
      return stored;
    case CodeCompression::lz4:
      return unpack_lz4_block(stored, code.size);
    case CodeCompression::zstd:
      return unpack_zstd_frame(stored, code.size);
    case CodeCompression::zlib:
      break;
  }
  return fail(ErrorKind::check, "the cubin has an unknown compression");
}

}  // namespace pinwheel::binary
