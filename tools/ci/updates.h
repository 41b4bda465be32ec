#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ci/pins.h"

namespace pinwheel::ci {

/// A pin that is not the release that a list names.
struct Update {
  Pin pin;
  std::string version;
  std::string commit;
};

/// The pins of `kPins` that a list of releases would change. A line is `ACTION VERSION COMMIT`;
/// empty lines, lines that begin with `#`, and actions that have no pin are passed over. `config`
/// with the line for any other; `file` names the list.
Result<std::vector<Update>> updates_in(std::string_view text, const std::string& file);

}  // namespace pinwheel::ci
