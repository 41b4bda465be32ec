#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "wheel/archive.h"
#include "wheel/finish.h"
#include "wheel/zip_writer.h"

namespace pinwheel::wheel {

/// A member to write, with the digest of its contents.
struct NewMember {
  PackedMember member;
  std::string sha256;  ///< base64url without padding
};

/// Compresses and hashes a member.
NewMember new_member(std::string name, std::string_view contents, uint32_t mode = 0644);

/// The same, with at most `most` bytes for the compressed contents: kind `check` when they need
/// more.
Result<NewMember> new_member_within(std::string name, std::string_view contents, uint32_t mode,
                                    uint64_t most);

/// The changes to a wheel.
struct RepackSpec {
  std::vector<std::string> platform_tags = {};  ///< empty: unchanged
  std::vector<NewMember> members = {};          ///< replace those of the same name, or are added
  std::vector<std::string> requirements = {};   ///< Requires-Dist lines to set
  /// License-File entries to add, if METADATA has a version that knows them (2.4, PEP 639).
  std::vector<std::string> license_files = {};
  int64_t source_date_epoch = 0;  ///< the timestamp of every member
  /// The digests of the wheel's members, base64url without padding, which the caller has computed.
  std::map<std::string, std::string> digests = {};
};

/// The file name of the changed wheel; kind `check` when `name` is not a wheel file name.
Result<std::string> repacked_name(const std::string& name, const RepackSpec& spec);

/// Writes the wheel with its changes, in the form of `finish`, except that unchanged members are
/// copied as they were compressed: a large wheel takes about as long as copying it. METADATA, WHEEL
/// and RECORD follow. Kind `check` when the wheel contradicts its own RECORD.
Result<FinishedWheel> repack(const WheelArchive& wheel, RepackSpec spec, const ZipOutput& output);

}  // namespace pinwheel::wheel
