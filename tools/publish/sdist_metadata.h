#pragma once
#include <string>

#include "base/result.h"
#include "wheel/byte_stream.h"

namespace pinwheel::publish {

/// The bytes of `<name>-<version>/PKG-INFO` in an uncompressed tar archive (POSIX ustar and pax;
/// PEP 625), which is read to its end and not held. Kind `check` when the archive is corrupt or has
/// no such file, or one larger than `limits::kMetadata`.
Result<std::string> sdist_metadata(wheel::ByteStream& tar);

}  // namespace pinwheel::publish
