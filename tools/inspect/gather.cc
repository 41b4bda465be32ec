#include "inspect/gather.h"

#include <utility>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/text.h"
#include "inspect/claim.h"
#include "wheel/archive.h"

namespace pinwheel::inspect {
namespace {

// ELF header fields that tell whether the host's loader is meant (System V gABI).
constexpr uint64_t kTypeOffset = 16;
constexpr uint64_t kMachineOffset = 18;
constexpr uint16_t kTypeExecutable = 2;
constexpr uint16_t kTypeShared = 3;
constexpr uint16_t kMachineCuda = 190;
constexpr uint16_t kMachineAmdGpu = 224;

Finding unreadable(const char* rule, const std::string& file, const Error& error) {
  return Finding{rule, file, error.message, "", error.hint};
}

std::string digest_of(const std::string& contents) {
  Sha256 hash;
  hash.update(contents);
  return base64url(hash.finish());
}

/// Objects for the linker and code for a GPU are ELF files, too, which no loader of the host reads.
bool is_for_host_loader(std::string_view elf) {
  const uint16_t type = load_le<uint16_t>(elf, kTypeOffset).value_or(0);
  const uint16_t machine = load_le<uint16_t>(elf, kMachineOffset).value_or(0);
  return (type == kTypeExecutable || type == kTypeShared) && machine != kMachineCuda &&
         machine != kMachineAmdGpu;
}

void read_binary(const std::string& name, std::string contents, WheelFacts& facts) {
  if (!binary::is_elf(contents)) return;
  if (!is_for_host_loader(contents)) {
    facts.other_elf.push_back(name);
    return;
  }
  const ports::MemorySource source(std::move(contents));
  Result<binary::Elf> elf = binary::read_elf(source);
  if (!elf) {
    facts.unreadable.push_back(unreadable("platform-tag", name, elf.error()));
    return;
  }
  facts.libraries.push_back({name, *std::move(elf)});
  Result<std::vector<binary::DeviceCode>> code = binary::read_device_code(source);
  if (!code) {
    facts.unreadable.push_back(unreadable("device-code", name, code.error()));
  } else if (!code->empty()) {
    facts.device_code.push_back({name, *std::move(code)});
  }
}

void read_info(const std::string& path, const std::string& contents, WheelFacts& facts) {
  const auto keep = [&](auto& field, const char* rule, auto parsed) {
    if (parsed) {
      field = *std::move(parsed);
    } else {
      facts.unreadable.push_back(unreadable(rule, path, parsed.error()));
    }
  };
  if (path == facts.dist_info + "/METADATA") {
    keep(facts.metadata, "metadata", wheel::parse_metadata(contents));
  } else if (path == facts.dist_info + "/WHEEL") {
    keep(facts.wheel_file, "wheel-name", wheel::parse_wheel_file(contents));
  } else if (path == facts.dist_info + "/RECORD") {
    keep(facts.record, "record", wheel::parse_record(contents));
  } else if (path == facts.dist_info + "/pinwheel.json") {
    keep(facts.claimed_arch_list, "device-code", claimed_arch_list(contents));
  }
}

void read_member(const wheel::WheelArchive& archive, const wheel::ZipMember& member,
                 WheelFacts& facts) {
  if (member.is_directory()) return;
  Result<std::string> contents = archive.zip.read(member);
  if (!contents) {
    facts.unreadable.push_back(unreadable("archive", member.name, contents.error()));
    return;
  }
  facts.members.push_back({member.name, member.size, member.compressed_size, member.crc,
                           member.mode, digest_of(*contents)});
  read_info(member.name, *contents, facts);
  read_binary(member.name, *std::move(contents), facts);
}

void note_missing(const wheel::WheelArchive& archive, WheelFacts& facts) {
  const std::pair<const char*, const char*> required[] = {
      {"METADATA", "metadata"}, {"WHEEL", "wheel-name"}, {"RECORD", "record"}};
  for (const auto& [file, rule] : required) {
    if (archive.zip.find(archive.info_path(file)) != nullptr) continue;
    facts.unreadable.push_back({rule, archive.info_path(file), "is missing from the wheel"});
  }
}

}  // namespace

Result<WheelFacts> gather(std::string file_name, const ports::ByteSource& source) {
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(file_name, source));
  WheelFacts facts;
  facts.file_name = std::move(file_name);
  facts.file_size = source.size();
  facts.dist_info = archive.dist_info;
  facts.archive = wheel::zip_faults(source);
  Result<pep::WheelName> name = pep::parse_wheel_name(facts.file_name);
  if (name) {
    facts.name = *std::move(name);
  } else {
    facts.unreadable.push_back(unreadable("wheel-name", facts.file_name, name.error()));
  }
  for (const wheel::ZipMember& member : archive.zip.members()) {
    read_member(archive, member, facts);
  }
  note_missing(archive, facts);
  return facts;
}

}  // namespace pinwheel::inspect
