#include "inspect/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "binary/foreign.h"
#include "inspect/claim.h"
#include "inspect/read_member.h"
#include "wheel/archive.h"
#include "wheel/long_digests.h"

namespace pinwheel::inspect {
namespace {

constexpr uint64_t kMemory = uint64_t{224} << 20U;

void read_info(const std::string& path, const std::string& contents, WheelFacts& facts) {
  const auto assign = [&](auto& field, const char* rule, auto parsed) {
    if (parsed) {
      field = *std::move(parsed);
    } else {
      facts.unreadable.push_back(unreadable(rule, path, parsed.error()));
    }
  };
  if (path == facts.dist_info + "/METADATA") {
    assign(facts.metadata, "metadata", wheel::parse_metadata(contents));
  } else if (path == facts.dist_info + "/WHEEL") {
    assign(facts.wheel_file, "wheel-name", wheel::parse_wheel_file(contents));
  } else if (path == facts.dist_info + "/RECORD") {
    assign(facts.record, "record", wheel::parse_record(contents));
  } else if (path == facts.dist_info + "/variant.json") {
    assign(facts.variant, "variant", wheel::parse_variant_metadata(contents));
  } else if (path == facts.dist_info + "/pinwheel.json") {
    assign(facts.claim, "device-code", claim_of(contents));
  }
}

void take_reading(const std::string& name, MemberReading reading, WheelFacts& facts) {
  if (reading.member) facts.members.push_back(*std::move(reading.member));
  if (reading.is_unread) {
    if (!facts.partial) facts.partial.emplace();
    facts.partial->unread.push_back(name);
  }
  if (reading.is_other_elf) facts.other_elf.push_back(name);
  if (reading.foreign) facts.foreign.push_back({name, *reading.foreign});
  if (reading.is_editable_path) facts.editable_paths.push_back(name);
  if (reading.is_lfs_pointer) facts.lfs_pointers.push_back(name);
  if (reading.imports_torch) facts.torch_importers.push_back(name);
  if (reading.opens_libraries) facts.library_openers.push_back(name);
  for (Finding& finding : reading.unreadable) facts.unreadable.push_back(std::move(finding));
  if (reading.library) facts.libraries.push_back(*std::move(reading.library));
  if (reading.packing) facts.packing.emplace(name, *std::move(reading.packing));
  if (reading.device_code) facts.device_code.push_back(*std::move(reading.device_code));
  if (!reading.operators.empty()) facts.operators.emplace(name, std::move(reading.operators));
}

/// The memory that all members' data uses, bounded together.
struct MemoryUse {
  std::atomic<uint64_t> symbols = 0;
  std::atomic<uint64_t> device_code = 0;
  std::atomic<uint64_t> kernels = 0;
  std::atomic<uint64_t> names = 0;  ///< bytes, of kernels and operators
};

void apply_limits(const std::string& name, MemoryUse& used, MemberReading& reading) {
  if (reading.library &&
      (used.symbols += memory_of(reading.library->elf)) > limits::kWheelSymbols.most) {
    reading.library.reset();
    reading.unreadable.push_back(
        unreadable("platform-tag", name,
                   too_large("what the libraries of the wheel contain", limits::kWheelSymbols)));
  }
  if (reading.device_code &&
      (used.device_code += reading.device_code->code.size()) > limits::kWheelDeviceCode.most) {
    reading.device_code.reset();
    reading.unreadable.push_back(
        unreadable("device-code", name, too_many("the wheel", limits::kWheelDeviceCode)));
  }
}

uint64_t bytes_of_names(const MemberReading& reading) {
  uint64_t bytes = 0;
  for (const std::string& each : reading.operators) bytes += each.size();
  if (!reading.device_code) return bytes;
  for (const KernelFacts& each : reading.device_code->kernels) bytes += each.kernel.name.size();
  return bytes;
}

/// The same for what is read in detail.
void limit_details(const std::string& name, MemoryUse& used, MemberReading& reading) {
  const uint64_t kernels = reading.device_code ? reading.device_code->kernels.size() : 0;
  const bool many = (used.kernels += kernels) > limits::kWheelKernels.most;
  const bool long_names = (used.names += bytes_of_names(reading)) > limits::kKernelNames.most;
  if (!many && !long_names) return;
  reading.operators.clear();
  if (reading.device_code) reading.device_code->kernels.clear();
  reading.unreadable.push_back(
      unreadable("device-code", name,
                 many ? too_many("the wheel", limits::kWheelKernels)
                      : too_large("what the kernels are named", limits::kKernelNames)));
}

void note_missing(const wheel::WheelArchive& archive, WheelFacts& facts) {
  const std::pair<const char*, const char*> required[] = {
      {"METADATA", "metadata"}, {"WHEEL", "wheel-name"}, {"RECORD", "record"}};
  for (const auto& [file, rule] : required) {
    if (archive.zip.find(archive.info_path(file)) != nullptr) continue;
    facts.unreadable.push_back({rule, archive.info_path(file), "is missing from the wheel"});
  }
}

void read_members(const wheel::WheelArchive& archive, const GatherOptions& options,
                  WheelFacts& facts) {
  std::vector<const wheel::ZipMember*> members;
  std::vector<uint64_t> costs;
  for (const wheel::ZipMember& member : archive.zip.members()) {
    if (member.is_directory()) continue;
    members.push_back(&member);
    costs.push_back(memory_to_read(member, options.detail));
  }
  const auto is_there = [&options](const wheel::ZipMember& member) {
    return !options.is_there || options.is_there(member);
  };
  std::vector<MemberReading> readings(members.size());
  Crew crew;
  MemoryUse used;
  const ReadingDepth depth{options.measure, options.detail};
  run_jobs(costs, options.limits, crew, [&](size_t i) {
    if (!is_there(*members[i])) {
      readings[i] = unread_member(*members[i]);
      return;
    }
    readings[i] = read_member(archive, *members[i], depth, crew);
    apply_limits(members[i]->name, used, readings[i]);
    limit_details(members[i]->name, used, readings[i]);
  });
  for (size_t i = 0; i < members.size(); ++i) {
    const std::string& name = members[i]->name;
    const bool there = !readings[i].is_unread;
    const bool judged = there && readings[i].member && is_judged_text(archive, name);
    const std::string contents = std::move(readings[i].contents);
    take_reading(name, std::move(readings[i]), facts);
    if (judged) read_info(name, contents, facts);
  }
}

/// Libraries for Linux in a wheel that is not for Linux are not judged: those of Android, and those
/// that a wheel of another system contains for other machines.
void set_aside_libraries(WheelFacts& facts) {
  if (!facts.name) return;
  const std::vector<std::string>& platforms = facts.name->tags.platform;
  const auto any_tag = [&](const auto& matches) {
    return std::any_of(platforms.begin(), platforms.end(), matches);
  };
  const bool linux = any_tag([](const std::string& tag) {
    return tag == "any" || tag.find("linux") != std::string::npos;
  });
  const bool android = any_tag([](const std::string& tag) { return tag.starts_with("android_"); });
  const bool has_own =
      std::any_of(facts.foreign.begin(), facts.foreign.end(), [&](const ForeignBinary& each) {
        return any_tag(
            [&](const std::string& tag) { return binary::is_for_platform(each.form, tag); });
      });
  if (linux || (!android && !has_own)) return;
  for (const ElfMember& library : facts.libraries) {
    facts.foreign.push_back(
        {library.name, "ELF for " + (android ? std::string("Android")
                                             : binary::machine_name(library.elf.machine))});
  }
  facts.libraries.clear();
}

/// Members whose digests cannot be computed were reported when they were read.
void add_long_digests(const wheel::WheelArchive& archive, WheelFacts& facts) {
  if (!facts.record) return;
  std::vector<wheel::MemberDigest> digests;
  digests.reserve(facts.members.size());
  for (const MemberFacts& member : facts.members) {
    if (!member.sha256.empty()) digests.push_back({member.name, {}, member.size});
  }
  const Result<std::vector<wheel::MemberDigest>> known =
      wheel::with_long_digests(std::move(digests), *facts.record, archive.zip);
  if (!known) return;
  size_t next = 0;
  for (MemberFacts& member : facts.members) {
    if (!member.sha256.empty()) member.long_digest = (*known)[next++].long_digest;
  }
}

}  // namespace

std::string contents_key(const WheelFacts& facts, const MemberFacts& member) {
  return facts.partial ? fmt::format("{} {:08x}", member.size, member.crc) : member.sha256;
}

uint64_t memory_of(const binary::Elf& elf) {
  uint64_t bytes = elf.sections.size() * sizeof(binary::Section);
  for (const auto* symbols : {&elf.undefined, &elf.defined}) {
    bytes += symbols->size() * sizeof(binary::Symbol);
    for (const binary::Symbol& symbol : *symbols) bytes += symbol.name.size();
  }
  return bytes;
}

JobLimits usual_limits() {
  return {usable_processors(), kMemory};
}

Result<WheelFacts> gather(std::string file_name, const ports::ByteSource& source,
                          const GatherOptions& options) {
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(file_name, source));
  WheelFacts facts;
  facts.file_name = std::move(file_name);
  facts.file_size = source.size();
  facts.dist_info = archive.dist_info;
  facts.archive = wheel::zip_faults(source, options.is_there);
  Result<pep::WheelName> name = pep::parse_wheel_name(facts.file_name);
  if (name) {
    facts.name = *std::move(name);
  } else {
    facts.unreadable.push_back(unreadable("wheel-name", facts.file_name, name.error()));
  }
  read_members(archive, options, facts);
  add_long_digests(archive, facts);
  set_aside_libraries(facts);
  note_missing(archive, facts);
  return facts;
}

Result<WheelFacts> gather_files(std::string name, const std::vector<LooseFile>& files,
                                const GatherOptions& options) {
  WheelFacts facts;
  facts.file_name = std::move(name);
  std::vector<MemberReading> readings(files.size());
  std::vector<std::optional<Error>> errors(files.size());
  // Files are read in chunks, so none needs much memory.
  run_jobs(std::vector<uint64_t>(files.size(), 0), options.limits, [&](size_t i) {
    const Result<std::unique_ptr<ports::ByteSource>> source = files[i].open();
    if (source) {
      readings[i] = read_loose_file(files[i].name, **source, options.detail);
    } else {
      errors[i] = source.error();
    }
  });
  for (size_t i = 0; i < files.size(); ++i) {
    if (errors[i]) return fail(*errors[i]);
    if (readings[i].member) facts.file_size += readings[i].member->size;
    take_reading(files[i].name, std::move(readings[i]), facts);
  }
  return facts;
}

}  // namespace pinwheel::inspect
