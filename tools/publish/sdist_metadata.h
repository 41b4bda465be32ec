#pragma once
#include <functional>
#include <set>
#include <string>

#include "base/result.h"
#include "wheel/byte_stream.h"

namespace pinwheel::publish {

/// The facts about an sdist that publishing needs.
struct SdistContents {
  std::string metadata = {};                      ///< the bytes of its PKG-INFO
  std::set<std::string, std::less<>> files = {};  ///< below the top-level directory
};

/// The bytes of `<name>-<version>/PKG-INFO` in an uncompressed tar archive (POSIX ustar and pax;
/// PEP 625), and the names of its files; it is streamed to its end. Kind `check` when the archive
/// is corrupt or has no such file, or one larger than `limits::kMetadata`.
Result<SdistContents> sdist_metadata(wheel::ByteStream& tar);

}  // namespace pinwheel::publish
