#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace pinwheel::host {

/// Searches every member of a wheel, and its name, for the values of the named secrets, in any
/// spelling (`base/hidden_text`). Kind `check`, with the member and the name of the secret, if
/// there is one.
Done check_wheel_for_secrets(const std::filesystem::path& wheel,
                             const std::vector<std::string>& names,
                             const std::map<std::string, Secret>& values);

/// The same for an sdist.
Done check_sdist_for_secrets(const std::filesystem::path& sdist,
                             const std::vector<std::string>& names,
                             const std::map<std::string, Secret>& values);

}  // namespace pinwheel::host
