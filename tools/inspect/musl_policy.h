#pragma once
#include <set>
#include <string>
#include <vector>

#include "inspect/platform_tag.h"

namespace pinwheel::inspect {

/// The newest musl release with a policy of its own, 2 of musllinux_1_2 (PEP 656; as auditwheel).
constexpr int kNewestMusl = 2;
constexpr int kOldestMusl = 1;

/// The reasons why the files do not run on a system with musl 1.`minor`: libraries that it may
/// lack, and functions that newer releases of musl added. musl has no symbol versions, so most
/// newer functions cannot be recognized. `provided` are libraries that the system need not have.
std::vector<std::string> musl_objections(const std::vector<ElfMember>& files,
                                         const std::set<std::string>& provided, int minor);

/// The policy that the files justify: the newest, because a binary does not show that an older musl
/// is enough. `linux_<arch>` when a library is missing.
PlatformTag musl_tag(const std::vector<ElfMember>& files, const std::set<std::string>& provided,
                     const std::string& arch);

}  // namespace pinwheel::inspect
