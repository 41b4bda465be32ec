#pragma once
#include <string>
#include <string_view>

namespace pinwheel::report {

/// Escapes the data of a workflow command (`::add-mask::DATA`): `%`, CR and LF, in the form that
/// GitHub's runner decodes.
std::string github_data(std::string_view text);
/// The same for a message to people (`::error::MESSAGE`), which is made visible and
/// has no commands of its own (`base/visible_text`).
std::string github_message(std::string_view text);

/// Escapes text as a property of a workflow command (`title=...`): `:` and `,` end properties and
/// are escaped too.
std::string github_property(std::string_view text);

}  // namespace pinwheel::report
