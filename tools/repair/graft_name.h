#pragma once
#include <string>

#include "repair/facts.h"

namespace pinwheel::repair {

/// The new name of a grafted library, with the first 8 digits of the digest of its contents:
/// "libjpeg-1a2b3c4d.so.62" for "libjpeg.so.62". Two wheels that graft the same file share it in a
/// process; two different files never clash. `needed_as` is used for a library without SONAME.
std::string graft_name(const Library& library, const std::string& needed_as);

}  // namespace pinwheel::repair
