#pragma once
#include <string>
#include <vector>

#include "ports/byte_source.h"

namespace pinwheel::wheel {

/// One way in which an archive breaks the rules that PyPI has for zip files.
struct ZipFault {
  std::string member;   ///< empty when it concerns the whole archive
  std::string message;  ///< what is wrong, a whole sentence that names the member
  std::string hint = {};

  bool operator==(const ZipFault&) const = default;
};

/// What PyPI refuses in a zip file (warehouse, `utils/zipfiles.py`), and what lets two tools see
/// two archives in one file: data descriptors, local headers that disagree with the central
/// directory, bytes that belong to no record, names that occur twice, comments of members, odd
/// extra fields, compression other than deflate, more than 64 MiB out of less than a fiftieth.
/// Headers are read, contents are not. An archive that `ZipReader` refuses has that one fault.
std::vector<ZipFault> zip_faults(const ports::ByteSource& source);

}  // namespace pinwheel::wheel
