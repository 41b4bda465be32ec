#pragma once
#include <memory>

#include "exports/table.h"
#include "inspect/expectations.h"

namespace pinwheel::compat {

/// How the rule `torch-bounds` judges a wheel: its requirement on torch must not allow a known
/// release that does not load it, nor, if it uses torch's C++ ABI, releases after the newest known
/// one. A wheel without such a requirement is left to `torch-requirement`.
inspect::WheelJudge judge_torch_bounds(std::shared_ptr<const exports::Table> table);

}  // namespace pinwheel::compat
