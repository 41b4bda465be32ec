#pragma once
#include <string>
#include <string_view>

namespace pinwheel::report {

/// A text as the message of a workflow command (`::error::MESSAGE`), `%`, CR and LF escaped as
/// GitHub's runner reads them back.
std::string github_message(std::string_view text);

/// A text as a property of one (`title=...`): `:` and `,` end properties and are escaped too.
std::string github_property(std::string_view text);

}  // namespace pinwheel::report
