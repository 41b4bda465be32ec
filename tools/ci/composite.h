#pragma once
#include <string>
#include <string_view>

namespace pinwheel::ci {

/// The composite action that the jobs use (`action.yml`): installs that release of pinwheel if
/// the runner lacks it, stores its cache between runs, and runs it with `args`. With `output:
/// text`, the printed text becomes an output.
std::string composite_action(std::string_view version);

/// Whether a file is such an action, of any release.
bool is_composite_action(std::string_view text);

}  // namespace pinwheel::ci
