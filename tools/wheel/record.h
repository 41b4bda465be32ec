#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::wheel {

/// One line of RECORD (PEP 376, binary distribution format).
struct RecordRow {
  std::string path;
  std::string algorithm = {};  ///< "sha256"; empty for RECORD itself
  std::string digest = {};     ///< base64url without padding
  std::optional<uint64_t> size = std::nullopt;

  bool operator==(const RecordRow&) const = default;
};

/// Reads the CSV; kind `check`, with the line, when a line has not three fields or is malformed.
Result<std::vector<RecordRow>> parse_record(std::string_view text);
/// The CSV with `\n` line ends, names quoted where they need it.
std::string to_string(const std::vector<RecordRow>& rows);

/// What a member really is.
struct MemberDigest {
  std::string name;
  std::string sha256;  ///< base64url without padding
  uint64_t size = 0;
};

/// Where RECORD and the members disagree.
struct RecordFault {
  std::string path;
  std::string message;
};

/// Every member exactly once with its right sha256 and size, nothing else; RECORD itself and its
/// signatures (`record_path` with .jws or .p7s) without a digest. Empty means that all is right.
std::vector<RecordFault> record_faults(const std::vector<RecordRow>& rows,
                                       const std::vector<MemberDigest>& members,
                                       std::string_view record_path);

}  // namespace pinwheel::wheel
