#pragma once
#include <vector>

#include "inspect/library_lookup.h"
#include "repair/facts.h"

namespace pinwheel::repair {

/// The libraries of the wheel that others do not find after the edits of a repair: in modules of
/// Python, and in what no other library needs. `edited` are the wheel's libraries in its order,
/// then the grafts. What others provide as well does not count.
std::vector<inspect::LostLibrary> lost_in(const Facts& facts,
                                          const std::vector<inspect::ElfMember>& edited);

}  // namespace pinwheel::repair
