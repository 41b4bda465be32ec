#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"
#include "wheel/archive.h"

namespace pinwheel::inspect {

/// What one file tells; several may be read at once.
struct MemberReading {
  std::optional<MemberFacts> member = std::nullopt;  ///< absent when it could not be read
  std::optional<ElfMember> library = std::nullopt;
  std::optional<DeviceCodeMember> device_code = std::nullopt;
  bool is_other_elf = false;                        ///< ELF that the host does not load
  std::optional<PackedMap> packing = std::nullopt;  ///< of what has any of these, where measured
  std::string contents = {};  ///< of the files in `kKept` of the dist-info directory
  std::vector<Finding> unreadable = {};
};

/// Whether the member is one whose text is judged: METADATA, WHEEL, RECORD, pinwheel.json.
bool is_judged_text(const wheel::WheelArchive& archive, const std::string& name);

/// Whether to find out which parts of a binary take how much of the archive; it costs as much
/// again as reading the member.
enum class Measure { nothing, packing };

/// Inflates, verifies, hashes and parses a member. A large one passes by in pieces, so that it
/// takes some tens of megabytes however large it is.
MemberReading read_member(const wheel::WheelArchive& archive, const wheel::ZipMember& member,
                          Measure measure);
/// The memory that this takes, roughly.
uint64_t memory_to_read(const wheel::ZipMember& member);

/// The same for a file that lies outside any archive; its "CRC" and compressed size are left 0.
MemberReading read_loose_file(const std::string& name, const ports::ByteSource& source);

}  // namespace pinwheel::inspect
