#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// A wheel as a file: what it is called, its members, and where its metadata lies.
struct WheelArchive {
  std::string file_name;  ///< without directories
  ZipReader zip;
  std::string dist_info;  ///< "pinwheel_kernels-1.2.0.dist-info", without a slash

  /// The contents of a file of the dist-info directory; kind `check` when it is missing.
  Result<std::string> read_info(const std::string& name) const;
  std::string info_path(const std::string& name) const { return dist_info + "/" + name; }
};

/// Opens the archive and finds its one top-level `*.dist-info` directory. Kind `check` for a
/// damaged archive, for none or several of them, and for two members of one name. The source must
/// outlive the result.
Result<WheelArchive> open_wheel(std::string file_name, const ports::ByteSource& source);

}  // namespace pinwheel::wheel
