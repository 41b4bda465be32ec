#pragma once
#include <optional>
#include <string_view>

#include "pep/version.h"

namespace pinwheel::publish {

/// The version in the name of a wheel or an sdist; nullopt for any other name.
std::optional<pep::Version> version_of_file(std::string_view filename);

}  // namespace pinwheel::publish
