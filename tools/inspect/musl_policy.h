#pragma once
#include <set>
#include <string>
#include <vector>

#include "inspect/platform_tag.h"

namespace pinwheel::inspect {

/// The newest musl release with a policy of its own, 2 of musllinux_1_2 (PEP 656; as auditwheel).
constexpr int kNewestMusl = 2;
constexpr int kOldestMusl = 1;

/// What keeps the files from a system with musl 1.`minor`: libraries that it need not have, and
/// functions that musl got later. musl has no symbol versions, so most newer functions cannot be
/// told. `provided` are libraries that the system does not have to have.
std::vector<std::string> musl_objections(const std::vector<ElfMember>& files,
                                         const std::set<std::string>& provided, int minor);

/// The policy that the files justify: the newest, because nothing in a binary shows that an older
/// musl is enough. `linux_<arch>` when a library is missing.
PlatformTag musl_tag(const std::vector<ElfMember>& files, const std::set<std::string>& provided,
                     const std::string& arch);

}  // namespace pinwheel::inspect
