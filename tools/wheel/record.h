#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"

namespace pinwheel::wheel {

/// A line of RECORD (PEP 376, binary distribution format).
struct RecordRow {
  std::string path;
  std::string algorithm = {};  ///< "sha256"; empty for RECORD itself
  std::string digest = {};     ///< base64url without padding
  std::optional<uint64_t> size = std::nullopt;

  bool operator==(const RecordRow&) const = default;
};

/// Parses the CSV; kind `check`, with the line number, when a line does not have three fields or is
/// malformed, or for more lines than `limits::kRecordLines`.
Result<std::vector<RecordRow>> parse_record(std::string_view text);
/// The CSV with `\n` line endings; names are quoted where needed.
std::string to_string(const std::vector<RecordRow>& rows);

/// The actual digest of a member.
struct MemberDigest {
  std::string name;
  std::string sha256;  ///< base64url without padding; empty: not read, so only its size counts
  uint64_t size = 0;
  /// The digest by the algorithm of its line in RECORD, if that is not sha256
  /// (`with_long_digests`).
  std::string long_digest = {};
};

/// A mismatch between RECORD and the members.
struct RecordFault {
  std::string path;
  std::string message;
};

/// The algorithm of a line whose digest is not sha256: sha384 or sha512, which the specification
/// allows; nullopt for another.
std::optional<LongSha> long_algorithm(const RecordRow& row);

/// Checks that RECORD lists every member exactly once with its digest and size, and nothing else;
/// RECORD itself and its signatures (`record_path` with .jws or .p7s) need no digest. Empty when
/// RECORD is correct.
std::vector<RecordFault> record_faults(const std::vector<RecordRow>& rows,
                                       const std::vector<MemberDigest>& members,
                                       std::string_view record_path);

/// The files of a wheel that an installation lacks or has with other contents, by the RECORD of
/// each. Installers move the files of `.data` and write their own RECORD in `dist_info`, so these
/// are not compared.
std::vector<std::string> not_installed(const std::vector<RecordRow>& wheel,
                                       const std::vector<RecordRow>& installed,
                                       std::string_view dist_info);

}  // namespace pinwheel::wheel
