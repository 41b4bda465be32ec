#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/crew.h"
#include "inspect/wheel_facts.h"
#include "wheel/archive.h"

namespace pinwheel::inspect {

/// The facts of one member; several members may be read in parallel.
struct MemberReading {
  std::optional<MemberFacts> member = std::nullopt;  ///< absent when it could not be read
  std::optional<ElfMember> library = std::nullopt;
  std::optional<DeviceCodeMember> device_code = std::nullopt;
  std::optional<std::string> foreign = std::nullopt;  ///< see `WheelFacts::foreign`
  bool is_lfs_pointer = false;                        ///< of Git LFS, instead of the file
  bool imports_torch = false;                         ///< as a module of the top level
  bool is_editable_path = false;                      ///< see `WheelFacts::editable_paths`
  bool opens_libraries = false;                       ///< as a module of Python
  bool is_other_elf = false;                          ///< ELF that the host does not load
  bool is_unread = false;                             ///< only its place in the directory is known
  std::optional<PackedMap> packing = std::nullopt;    ///< for binaries, if measured
  std::vector<std::string> operators = {};            ///< of a library, if it was read in detail
  std::string contents = {};                          ///< of the dist-info files in `kKept`
  std::vector<Finding> unreadable = {};
};

/// Whether rules check the text of the member: METADATA, WHEEL, RECORD, pinwheel.json,
/// variant.json.
bool is_judged_text(const wheel::WheelArchive& archive, const std::string& name);

/// Whether to measure the compressed size of the parts of a binary, which doubles the time to read
/// the member.
enum class Measure { nothing, packing };
/// Whether to read the kernels of cubins, and the schemas of operators, which reads a large binary
/// a second time.
enum class Detail { usual, kernels };

/// What to read that not every caller needs.
struct ReadingDepth {
  Measure measure = Measure::nothing;
  Detail detail = Detail::usual;
};

/// Inflates, verifies, hashes and parses a member. A large member is streamed in chunks, so that it
/// takes some tens of megabytes, whatever its size, and other threads of the crew may hash and scan
/// them. The result is the same on any number of threads.
MemberReading read_member(const wheel::WheelArchive& archive, const wheel::ZipMember& member,
                          const ReadingDepth& depth, Crew& crew);
/// The facts of a member whose bytes are not there.
MemberReading unread_member(const wheel::ZipMember& member);
/// The approximate memory that `read_member` needs, in bytes; more for a larger member.
uint64_t memory_to_read(const wheel::ZipMember& member, Detail detail);

/// The same for a file outside of an archive; its CRC and compressed size stay 0.
MemberReading read_loose_file(const std::string& name, const ports::ByteSource& source,
                              Detail detail);

}  // namespace pinwheel::inspect
