#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "ports/byte_source.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// An open wheel file: its name, its members, and its dist-info directory.
struct WheelArchive {
  std::string file_name;  ///< without directories
  ZipReader zip;
  std::string dist_info;  ///< "pinwheel_kernels-1.2.0.dist-info", without a slash

  /// The contents of a file of the dist-info directory; kind `check` when it is missing, or larger
  /// than `info_limit`.
  Result<std::string> read_info(const std::string& name) const;
  std::string info_path(const std::string& name) const { return dist_info + "/" + name; }
};

/// The most that is read of that file of a dist-info directory, given by name or path.
const ByteLimit& info_limit(std::string_view name);

/// Opens the archive and finds its top-level `*.dist-info` directory. Kind `check` for a corrupt
/// archive, unless there is exactly one such directory, and for duplicate members. The source must
/// outlive the result.
Result<WheelArchive> open_wheel(std::string file_name, const ports::ByteSource& source);

}  // namespace pinwheel::wheel
