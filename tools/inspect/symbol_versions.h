#pragma once
#include <map>
#include <string>
#include <vector>

#include "inspect/platform_tag.h"

namespace pinwheel::inspect {

/// The newest version of each family that the files need: {"GLIBC": "2.28", "GLIBCXX": "3.4.24"}.
/// The families are those that manylinux policies limit; names that are no numbers are left out.
std::map<std::string, std::string> newest_versions(const std::vector<ElfMember>& files);

}  // namespace pinwheel::inspect
