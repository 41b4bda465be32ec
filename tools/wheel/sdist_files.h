#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::wheel {

enum class SdistFileKind { plain, executable, link };

/// A file of an sdist, without its contents.
struct SdistFile {
  std::string name;  ///< below the top-level directory, separated by `/`
  SdistFileKind kind = SdistFileKind::plain;
  std::string target = {};  ///< of a link
};

/// Receives the files of an sdist in the order of the archive. An error ends the reading.
class SdistVisitor {
 public:
  SdistVisitor() = default;
  virtual ~SdistVisitor() = default;
  SdistVisitor(const SdistVisitor&) = delete;
  SdistVisitor& operator=(const SdistVisitor&) = delete;

  virtual Done file(const SdistFile& file) = 0;
  /// A part of the contents of the last file.
  virtual Done contents(std::string_view piece) = 0;
  /// A file with the contents of an earlier one, `first`.
  virtual Done same(const SdistFile& file, const std::string& first) = 0;
};

/// Visits the files of an sdist as builds see them, `.tar.gz` or the older `.zip`, in constant
/// memory. Less strict than `read_sdist`: sdists on indexes are older than PEP 625. Kind `check`
/// when the archive is corrupt, has no single top-level directory, a member or the target of a link
/// lies outside it, it contains no files, or unpacks to more than `limits::kUnpackedSdist`,
/// or than 256 MiB and `limits::kUnpackedRatio` times its size.
Done visit_sdist(std::string_view file_name, const ports::ByteSource& source,
                 SdistVisitor& visitor);

}  // namespace pinwheel::wheel
