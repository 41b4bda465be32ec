#pragma once
#include <optional>
#include <string>

#include "base/error.h"

namespace pinwheel::report {

/// An error for an annotation or a summary: its message, its causes with their places, each with
/// its hint below it, then its own hint. Equal hints are printed once, and only the first few of
/// many causes. Lines, each with its newline.
std::string error_lines(const Error& error);

/// The place of an error, or of the first of its causes with a place.
std::optional<Location> place_of(const Error& error);

}  // namespace pinwheel::report
