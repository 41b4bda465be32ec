#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ports/byte_source.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {

/// A violation of PyPI's rules for zip files.
struct ZipFault {
  std::string member;   ///< empty for the archive as a whole
  std::string message;  ///< what is wrong, a full sentence that names the member
  std::string hint = {};

  bool operator==(const ZipFault&) const = default;
};

/// Whether the bytes of a member are at hand; empty: those of all members.
using IsThere = std::function<bool(const ZipMember& member)>;

/// Finds what PyPI rejects in a zip file (warehouse, `utils/zipfiles.py`), and ambiguities that
/// make tools see different archives in one file: data descriptors, local headers that disagree
/// with the central directory, bytes that belong to no record, duplicate names, member comments,
/// malformed extra fields, UTF-8 names without the flag for them, compression other than deflate,
/// more than 64 MiB at a ratio above 50. Reads headers, not contents. For an archive that
/// `ZipReader` rejects, its error is the only fault. Local headers of members that are not there
/// are not checked.
std::vector<ZipFault> zip_faults(const ports::ByteSource& source, const IsThere& is_there = {});

}  // namespace pinwheel::wheel
