#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/frozen.h"
#include "plan/outline.h"
#include "prepare/load.h"
#include "prepare/options.h"

namespace pinwheel::prepare {

/// The part of a frozen plan that the command line selects; by default all of it, whatever the
/// status of its variants: the plan has decided that. `drift` if the matrix lacks a variant of the
/// plan; `nothing_selected`, unless `--allow-empty`, if the selection has none of it; and the
/// errors of `select_outline`. Pure.
Result<plan::Outline> frozen_outline(const Loaded& loaded, const SelectionOptions& selection,
                                     const std::vector<std::string>& globs,
                                     const plan::FrozenPlan& frozen);

}  // namespace pinwheel::prepare
