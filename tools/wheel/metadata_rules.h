#pragma once
#include <set>
#include <string>
#include <vector>

#include "wheel/metadata.h"

namespace pinwheel::wheel {

/// A reason for which PyPI rejects METADATA or PKG-INFO, as a predicate: "has Dynamic, which ...".
struct MetadataFault {
  std::string message;
  std::string hint = {};
};

/// Faults: fields that are newer than the Metadata-Version (except License-File, which backends
/// wrote before it was specified), a License-Expression outside of SPDX's grammar and list, a
/// Description-Content-Type that PyPI does not render, Dynamic that names no field or one that
/// cannot be dynamic, and extras without a valid name.
std::vector<MetadataFault> metadata_faults(const Metadata& metadata);

/// The same for an sdist with these files, whose names are below its top-level directory: also
/// License-Files that it lacks (from 2.4 on, PEP 639).
std::vector<MetadataFault> sdist_faults(const Metadata& metadata,
                                        const std::set<std::string, std::less<>>& files);

/// Whether its License-Files are paths in the distribution: from 2.4 on (PEP 639).
bool names_license_files(const Metadata& metadata);

}  // namespace pinwheel::wheel
