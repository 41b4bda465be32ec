#pragma once
#include <string>
#include <string_view>

namespace pinwheel::ci {

/// The composite action that the jobs use (`action.yml`): installs that release of pinwheel where
/// the runner has no other, keeps its cache between runs, and runs it with `args`. `output: text`
/// gives what it prints as an output.
std::string composite_action(std::string_view version);

/// Whether a file is such an action, of whatever release.
bool is_composite_action(std::string_view text);

}  // namespace pinwheel::ci
