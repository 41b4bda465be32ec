#pragma once
#include <functional>
#include <set>
#include <string>

#include "base/result.h"
#include "wheel/byte_stream.h"

namespace pinwheel::publish {

/// What publishing an sdist needs to know of it.
struct SdistContents {
  std::string metadata = {};                      ///< the bytes of its PKG-INFO
  std::set<std::string, std::less<>> files = {};  ///< below the top-level directory
};

/// The bytes of `<name>-<version>/PKG-INFO` in an uncompressed tar archive (POSIX ustar and pax;
/// PEP 625), and the names of its files; it is read to its end and not held. Kind `check` when the
/// archive is corrupt or has no such file, or one larger than `limits::kMetadata`.
Result<SdistContents> sdist_metadata(wheel::ByteStream& tar);

}  // namespace pinwheel::publish
