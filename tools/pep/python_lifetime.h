#pragma once
#include <chrono>
#include <optional>
#include <string_view>

namespace pinwheel::pep {

/// The month after which a Python gets no more security releases, according to its release
/// schedule; nullopt for a Python that the table does not have. "3.13t" is 3.13.
std::optional<std::chrono::year_month> end_of_life(std::string_view python);

}  // namespace pinwheel::pep
