#pragma once
#include <optional>
#include <string>

#include "base/error.h"

namespace pinwheel::report {

/// An error for an annotation or a summary: its message, its causes with their places, each with
/// its hint below it, then its own hint. Equal hints are said once, and of many causes the first
/// few. Lines, each with its newline.
std::string error_lines(const Error& error);

/// The place of an error, or of the first of its causes that has one.
std::optional<Location> place_of(const Error& error);

}  // namespace pinwheel::report
