#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::wheel {

enum class SdistFileKind { plain, executable, link };

/// A file of an unpacked sdist.
struct SdistFile {
  std::string name;  ///< below the top-level directory, separated by `/`
  SdistFileKind kind = SdistFileKind::plain;
  std::string contents;  ///< of a link: its target
};

/// The files of an sdist as builds see them, `.tar.gz` or the older `.zip`. Less strict than
/// `read_sdist`: sdists on indexes are older than PEP 625. Kind `check` when the archive is
/// corrupt, has no single top-level directory, a member or the target of a link lies outside it, or
/// unpacks to more than `read_sdist` accepts.
Result<std::vector<SdistFile>> sdist_files(std::string_view file_name, std::string_view bytes);

}  // namespace pinwheel::wheel
