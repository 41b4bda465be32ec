#pragma once
#include <string>
#include <string_view>

namespace pinwheel::report {

/// Escapes text as the message of a workflow command (`::error::MESSAGE`): `%`, CR and LF, in the
/// form that GitHub's runner decodes.
std::string github_message(std::string_view text);

/// Escapes text as a property of a workflow command (`title=...`): `:` and `,` end properties and
/// are escaped too.
std::string github_property(std::string_view text);

}  // namespace pinwheel::report
