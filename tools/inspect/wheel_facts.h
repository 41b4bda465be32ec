#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "binary/device_code.h"
#include "inspect/claim.h"
#include "inspect/finding.h"
#include "inspect/packed_map.h"
#include "inspect/platform_tag.h"
#include "pep/wheel_name.h"
#include "wheel/metadata.h"
#include "wheel/record.h"
#include "wheel/wheel_file.h"
#include "wheel/zip_rules.h"

namespace pinwheel::inspect {

/// One file of a wheel.
struct MemberFacts {
  std::string name;
  uint64_t size = 0;
  uint64_t compressed_size = 0;
  uint32_t crc = 0;
  uint32_t mode = 0;   ///< Unix permission and type bits, 0 where the writer gave none
  std::string sha256;  ///< base64url without padding, as RECORD writes it
  uint32_t time = 0;   ///< DOS time as the archive has it
};

/// What a file with GPU code in it is: loaded as it is, or an object that is still to be linked.
enum class CodeForm { library, object };

/// The GPU code in one file; never empty.
struct DeviceCodeMember {
  std::string name;  ///< in the wheel
  std::vector<binary::DeviceCode> code;
  CodeForm form = CodeForm::library;
};

/// All that a wheel says of itself and holds, read once. What could not be read is absent here and
/// a finding in `unreadable`, under the rule that would have judged it.
struct WheelFacts {
  std::string file_name;  ///< without directories
  uint64_t file_size = 0;
  std::optional<pep::WheelName> name = std::nullopt;
  std::string dist_info;  ///< the directory, without a slash
  std::optional<wheel::Metadata> metadata = std::nullopt;
  std::optional<wheel::WheelFile> wheel_file = std::nullopt;
  std::optional<std::vector<wheel::RecordRow>> record = std::nullopt;
  std::vector<MemberFacts> members = {};    ///< in the archive's order, directories left out
  std::vector<ElfMember> libraries = {};    ///< shared libraries and programs for the host
  std::vector<std::string> other_elf = {};  ///< ELF members that the host cannot load: objects
  std::vector<DeviceCodeMember> device_code = {};
  /// What its `pinwheel.json` says; all unsaid without one.
  Claim claim = {};
  /// Of files that have sections or device code in the above, where it was asked for.
  std::map<std::string, PackedMap> packing = {};
  std::vector<wheel::ZipFault> archive = {};
  std::vector<Finding> unreadable = {};
};

/// Whether a member's code is what comes to run. That of an object does not where there are
/// libraries, which were linked already.
inline bool is_to_run(const WheelFacts& facts, const DeviceCodeMember& member) {
  return member.form == CodeForm::library || facts.libraries.empty();
}

}  // namespace pinwheel::inspect
