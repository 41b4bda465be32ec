#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "binary/cubin_kernels.h"
#include "binary/device_code.h"
#include "inspect/claim.h"
#include "inspect/finding.h"
#include "inspect/platform_tag.h"
#include "pep/wheel_name.h"
#include "wheel/metadata.h"
#include "wheel/record.h"
#include "wheel/variant_metadata.h"
#include "wheel/wheel_file.h"
#include "wheel/zip_rules.h"

namespace pinwheel::inspect {

/// Maps offsets in a member's contents to compressed bytes consumed, which gives the compressed
/// size of any part of it.
struct PackedMap {
  uint64_t size = 0;  ///< size of the contents
  uint64_t step = 1;  ///< bytes of contents between two entries
  std::vector<uint64_t> consumed = {
      0};  ///< compressed bytes after 0, 1, 2, ... steps, then at the end

  /// The compressed size of a range, interpolated within a step.
  uint64_t packed(uint64_t offset, uint64_t length) const;
};

/// A file of a wheel.
struct MemberFacts {
  std::string name;
  uint64_t size = 0;
  uint64_t compressed_size = 0;
  uint32_t crc = 0;
  uint32_t mode = 0;             ///< Unix permission and type bits, 0 if the writer set none
  std::string sha256;            ///< base64url without padding, as in RECORD; empty: not read
  uint32_t time = 0;             ///< DOS time from the archive
  std::string long_digest = {};  ///< by the algorithm of RECORD, if that is sha384 or sha512
};

/// Whether a file with GPU code is loadable, or an object that is yet to be linked.
enum class CodeForm { library, object };

struct KernelFacts {
  std::string architecture;  ///< "sm_90a"
  binary::CubinKernel kernel;

  bool operator==(const KernelFacts&) const = default;
};

/// The GPU code in a file; never empty.
struct DeviceCodeMember {
  std::string name;  ///< in the wheel
  std::vector<binary::DeviceCode> code;
  CodeForm form = CodeForm::library;
  std::vector<KernelFacts> kernels = {};  ///< of its cubins, in file order, if requested
};

/// A program or library for another system or processor, which is not judged.
struct ForeignBinary {
  std::string name;  ///< in the wheel
  std::string form;  ///< as `binary::foreign_binary` returns: "PE", "ELF for riscv64"

  bool operator==(const ForeignBinary&) const = default;
};

/// How a wheel on a server was read, of which only a part was fetched.
struct PartialReading {
  std::vector<std::string> unread = {};  ///< members, in archive order
  uint64_t fetched = 0;                  ///< bytes, with those that were fetched along with others
  uint64_t requests = 0;
  /// The digest of the file that its index states, hexadecimal, which only the whole file can
  /// confirm; empty: none.
  std::string sha256 = {};
};

/// The metadata and contents of a wheel, read once. Unreadable parts are absent here and findings
/// in `unreadable`, under the rule that would have checked them.
struct WheelFacts {
  std::string file_name;  ///< without directories
  uint64_t file_size = 0;
  std::optional<pep::WheelName> name = std::nullopt;
  std::string dist_info;  ///< the directory, without a slash
  std::optional<wheel::Metadata> metadata = std::nullopt;
  std::optional<wheel::WheelFile> wheel_file = std::nullopt;
  std::optional<std::vector<wheel::RecordRow>> record = std::nullopt;
  std::optional<wheel::VariantMetadata> variant = std::nullopt;  ///< of a wheel variant
  std::vector<MemberFacts> members = {};  ///< in archive order, without directories
  std::vector<ElfMember> libraries = {};  ///< shared libraries and programs for the host
  std::vector<std::string> other_elf =
      {};  ///< ELF members that the host cannot load, such as objects
  std::vector<ForeignBinary> foreign = {};  ///< not judged, except for their names
  std::vector<DeviceCodeMember> device_code = {};
  /// By library: the schemas of operators that its constants have, if requested.
  std::map<std::string, std::vector<std::string>> operators = {};
  std::vector<std::string> lfs_pointers = {};     ///< members that are pointers of Git LFS
  std::vector<std::string> torch_importers = {};  ///< modules whose import begins with torch's
  /// `.pth` files that add a directory of the building machine, or a hook, to the path.
  std::vector<std::string> editable_paths = {};
  std::vector<std::string> library_openers = {};  ///< modules of Python that open libraries
  /// The contents of its `pinwheel.json`; empty without one.
  Claim claim = {};
  /// For files with sections or device code, if requested.
  std::map<std::string, PackedMap> packing = {};
  std::vector<wheel::ZipFault> archive = {};
  std::vector<Finding> unreadable = {};
  std::optional<PartialReading> partial = std::nullopt;  ///< nullopt: all members were read
};

/// What members with the same contents have in common: their digest, or, if some members of the
/// wheel were not read, size and CRC-32.
std::string contents_key(const WheelFacts& facts, const MemberFacts& member);

/// Whether a member's code can run. If there are libraries, objects cannot, because they are linked
/// already.
inline bool is_to_run(const WheelFacts& facts, const DeviceCodeMember& member) {
  return member.form == CodeForm::library || facts.libraries.empty();
}

}  // namespace pinwheel::inspect
