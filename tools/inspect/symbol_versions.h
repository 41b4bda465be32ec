#pragma once
#include <map>
#include <string>
#include <vector>

#include "inspect/platform_tag.h"

namespace pinwheel::inspect {

/// The newest version of each family that the files need: {"GLIBC": "2.28", "GLIBCXX": "3.4.24"}.
/// The families are those in manylinux policies; names that are not numbers are ignored.
std::map<std::string, std::string> newest_versions(const std::vector<ElfMember>& files);

}  // namespace pinwheel::inspect
