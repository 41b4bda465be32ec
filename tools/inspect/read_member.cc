#include "inspect/read_member.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/lfs_pointer.h"
#include "base/limits.h"
#include "base/text.h"
#include "binary/cubin_kernels.h"
#include "binary/fatbin.h"
#include "binary/foreign.h"
#include "inspect/operator_schemas.h"
#include "inspect/python_import.h"
#include "wheel/deflate.h"
#include "wheel/passed_member.h"

namespace pinwheel::inspect {
namespace {

// ELF header fields that identify the consumer of the file (System V gABI).
constexpr uint64_t kTypeOffset = 16;
constexpr uint64_t kMachineOffset = 18;
constexpr uint16_t kTypeRelocatable = 1;
constexpr uint16_t kTypeExecutable = 2;
constexpr uint16_t kTypeShared = 3;
constexpr uint16_t kMachineCuda = 190;
constexpr uint16_t kMachineAmdGpu = 224;

// Both in the archive and inflated.
constexpr uint64_t kStreamFrom = uint64_t{48} << 20U;
constexpr uint64_t kStreamCost = uint64_t{48} << 20U;
constexpr uint64_t kBytesPerMarkedByte = 48;

/// The role of a file on the host.
enum class Role {
  no_elf,
  library,  ///< or a program
  object,   ///< for the linker
  other,    ///< GPU code
  foreign,  ///< for another system or processor, `binary::foreign_binary`
};

Role role_of(std::string_view head) {
  if (binary::foreign_binary(head)) return Role::foreign;
  if (!binary::is_elf(head)) return Role::no_elf;
  const uint16_t type = load_le<uint16_t>(head, kTypeOffset).value_or(0);
  const uint16_t machine = load_le<uint16_t>(head, kMachineOffset).value_or(0);
  if (machine == kMachineCuda || machine == kMachineAmdGpu) return Role::other;
  if (type == kTypeExecutable || type == kTypeShared) return Role::library;
  if (type != kTypeRelocatable) return Role::other;
  constexpr char k64Bit = 2;
  return head[4] == k64Bit ? Role::object : Role::other;
}

Result<std::vector<binary::CubinKernel>> kernels_of(const ports::ByteSource& source,
                                                    const binary::DeviceCode& code) {
  TRY(std::string bytes, binary::read_cubin(source, code));
  return binary::read_cubin_kernels(ports::MemorySource(std::move(bytes)));
}

/// Records the kernels of the cubins in a file. The error is that of the first cubin that cannot be
/// read; the others are recorded nevertheless.
Done take_kernels(const ports::ByteSource& source, DeviceCodeMember& out) {
  Done done;
  for (const binary::DeviceCode& code : out.code) {
    if (code.kind != binary::CodeKind::cubin) continue;
    Result<std::vector<binary::CubinKernel>> kernels = kernels_of(source, code);
    if (!kernels) {
      if (done) done = tl::unexpected(kernels.error());
      continue;
    }
    for (binary::CubinKernel& kernel : *kernels) {
      out.kernels.push_back({code.architecture, std::move(kernel)});
    }
    if (out.kernels.size() > limits::kWheelKernels.most) {
      return fail(too_many("the file", limits::kWheelKernels));
    }
  }
  return done;
}

void take_details(const std::string& name, const ports::ByteSource& source, MemberReading& out) {
  if (out.device_code) {
    const Done done = take_kernels(source, *out.device_code);
    if (!done) out.unreadable.push_back(unreadable("device-code", name, done.error()));
  }
  if (!out.library) return;
  Result<std::vector<std::string>> operators = read_operators(out.library->elf, source);
  if (operators) {
    out.operators = *std::move(operators);
  } else {
    out.unreadable.push_back(unreadable("device-code", name, operators.error()));
  }
}

/// Records the facts of an ELF file; `read_code` reads its device code.
template <class ReadCode>
void take_elf(const std::string& name, Role role, const ports::ByteSource& source,
              MemberReading& out, const ReadCode& read_code) {
  out.is_other_elf = role == Role::object || role == Role::other;
  if (role != Role::library && role != Role::object) return;
  if (role == Role::library) {
    Result<binary::Elf> elf = binary::read_elf(source);
    if (!elf) {
      out.unreadable.push_back(unreadable("platform-tag", name, elf.error()));
      return;
    }
    Result<binary::CodeUse> code_use = binary::code_use(*elf, source);
    if (!code_use) out.unreadable.push_back(unreadable("cpu-baseline", name, code_use.error()));
    out.library = ElfMember{name, *std::move(elf), code_use.value_or(binary::CodeUse{})};
  }
  Result<std::vector<binary::DeviceCode>> code = read_code();
  if (!code) {
    out.unreadable.push_back(unreadable("device-code", name, code.error()));
  } else if (!code->empty()) {
    out.device_code = DeviceCodeMember{
        name, *std::move(code), role == Role::library ? CodeForm::library : CodeForm::object};
  }
}

/// Collects facts from streamed bytes: the digest, the type of file, GPU code.
class StreamedFile {
 public:
  StreamedFile(uint64_t size, Detail detail) : detail_(detail), scanner_(size) {}

  /// Must be called with the first bytes, before they are fed.
  void start(std::string_view first) {
    role_ = role_of(first);
    foreign_ = binary::foreign_binary(first);
  }
  /// May run on another thread than the rest.
  void feed(std::string_view piece) {
    hash_.update(piece);
    if (has_tables()) scanner_.feed(piece);
  }
  /// Whether the file may have tables that must be read later.
  bool has_tables() const { return role_ == Role::library || role_ == Role::object; }

  void finish(const std::string& name, const ports::ByteSource& source, MemberReading& out) {
    out.foreign = foreign_;
    take_elf(name, role_, source, out, [&] { return binary::read_device_code(source, scanner_); });
    if (detail_ == Detail::kernels) take_details(name, source, out);
  }
  std::string digest() { return base64url(hash_.finish()); }

 private:
  Detail detail_;
  Role role_ = Role::no_elf;
  std::optional<std::string> foreign_;
  Sha256 hash_;
  binary::FatbinScanner scanner_;
};

MemberFacts facts_of(const wheel::ZipMember& member, std::string digest) {
  return {member.name,       member.size, member.compressed_size, member.crc, member.mode,
          std::move(digest), member.time};
}

Done read_whole(const wheel::WheelArchive& archive, const wheel::ZipMember& member, Detail detail,
                MemberReading& out) {
  if (is_judged_text(archive, member.name)) {
    TRY_DONE(check_size(quoted(member.name), member.size, wheel::info_limit(member.name)));
  }
  TRY(std::string contents, archive.zip.read(member));
  Sha256 hash;
  hash.update(contents);
  out.member = facts_of(member, base64url(hash.finish()));
  out.is_lfs_pointer = is_lfs_pointer(contents);
  if (is_judged_text(archive, member.name)) {
    out.contents = std::move(contents);
  } else if (is_path_file(member.name)) {
    out.is_editable_path = is_editable(contents);
  } else if (member.name.ends_with(".py")) {
    out.imports_torch = is_top_module(member.name) && imports_module(contents, "torch");
    out.opens_libraries = opens_libraries(contents);
  } else if (const Role role = role_of(contents); role != Role::no_elf) {
    out.foreign = binary::foreign_binary(contents);
    const ports::MemorySource source(std::move(contents));
    take_elf(member.name, role, source, out, [&] { return binary::read_device_code(source); });
    if (detail == Detail::kernels) take_details(member.name, source, out);
  }
  return {};
}

/// This thread inflates; any idle thread computes checksums and scans.
Done read_passing(const wheel::WheelArchive& archive, const wheel::ZipMember& member, Detail detail,
                  Crew& crew, MemberReading& out) {
  TRY(wheel::MemberStream stream,
      wheel::MemberStream::open(archive.zip, member, wheel::MemberStream::kPiece,
                                wheel::MemberStream::Crc::caller));
  TRY(const std::unique_ptr<wheel::PassedMember> source,
      wheel::PassedMember::open(archive.zip, member));
  StreamedFile passing(member.size, detail);
  uint32_t crc = 0;
  Relay relay(crew, member.size, [&](std::string_view piece) {
    crc = wheel::crc32(piece, crc);
    passing.feed(piece);
  });
  while (true) {
    const bool first = stream.offset() == 0;
    if (first || passing.has_tables()) source->pass(stream);
    std::string piece = relay.buffer();
    TRY_DONE(stream.next(piece));
    if (piece.empty()) break;
    if (first) passing.start(piece);
    relay.push(std::move(piece));
  }
  relay.finish();
  TRY_DONE(wheel::check_crc(member, crc));
  out.member = facts_of(member, passing.digest());
  passing.finish(member.name, *source, out);
  return {};
}

Result<PackedMap> packed_map(const wheel::WheelArchive& archive, const wheel::ZipMember& member) {
  constexpr uint64_t kStep = uint64_t{64} << 10U;
  TRY(wheel::MemberStream stream, wheel::MemberStream::open(archive.zip, member, kStep));
  PackedMap map{member.size, kStep};
  while (true) {
    TRY(const std::string_view piece, stream.next());
    if (piece.empty()) return map;
    map.consumed.push_back(stream.consumed());
  }
}

/// The memory that reading the whole member takes.
uint64_t whole_cost(const wheel::ZipMember& member) {
  return member.size + std::min(member.compressed_size, UINT64_MAX - member.size);
}

bool is_large(const wheel::ZipMember& member) {
  return whole_cost(member) > kStreamFrom;
}

}  // namespace

bool is_judged_text(const wheel::WheelArchive& archive, const std::string& name) {
  constexpr std::array<const char*, 5> kNames = {"METADATA", "WHEEL", "RECORD", "pinwheel.json",
                                                 "variant.json"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* file) { return name == archive.info_path(file); });
}

uint64_t memory_to_read(const wheel::ZipMember& member, Detail detail) {
  const uint64_t usual =
      is_large(member) ? kStreamCost + member.size / kBytesPerMarkedByte : whole_cost(member);
  // A cubin, stored and decompressed.
  const uint64_t cubins = std::min(member.size, limits::kCubin.most);
  return detail == Detail::usual ? usual : usual + 2 * cubins;
}

MemberReading unread_member(const wheel::ZipMember& member) {
  MemberReading out;
  out.member = facts_of(member, {});
  out.is_unread = true;
  return out;
}

MemberReading read_member(const wheel::WheelArchive& archive, const wheel::ZipMember& member,
                          const ReadingDepth& depth, Crew& crew) {
  MemberReading out;
  const bool whole = !is_large(member) || is_judged_text(archive, member.name);
  const Done done = whole ? read_whole(archive, member, depth.detail, out)
                          : read_passing(archive, member, depth.detail, crew, out);
  if (!done) {
    out = {};
    out.unreadable.push_back(unreadable("archive", member.name, done.error()));
  }
  if (depth.measure == Measure::packing && (out.library || out.device_code)) {
    Result<PackedMap> map = packed_map(archive, member);
    if (map) out.packing = *std::move(map);
  }
  return out;
}

MemberReading read_loose_file(const std::string& name, const ports::ByteSource& source,
                              Detail detail) {
  MemberReading out;
  StreamedFile passing(source.size(), detail);
  for (uint64_t at = 0; at < source.size();) {
    const uint64_t length = std::min(wheel::MemberStream::kPiece, source.size() - at);
    const Result<std::string> piece = source.read(at, length);
    if (!piece) {
      out.unreadable.push_back(unreadable("archive", name, piece.error()));
      return out;
    }
    if (at == 0) passing.start(*piece);
    passing.feed(*piece);
    at += length;
  }
  out.member = MemberFacts{name, source.size(), 0, 0, 0, passing.digest()};
  passing.finish(name, source, out);
  return out;
}

}  // namespace pinwheel::inspect
