#pragma once
#include <string>
#include <vector>

#include "base/error.h"

namespace pinwheel::publish {

/// A wheel that supports fewer systems than a wheel of the same kind that the project has
/// published.
struct NarrowerWheel {
  std::string filename;
  std::string published;  ///< the file name of the other

  bool operator==(const NarrowerWheel&) const = default;
};

/// Compares the platform tags of wheels with those of `published`, the names of a project's files
/// on an index: of the same project, label, C library and architecture, in the newest other version
/// that is not newer; a pre-release counts only for a pre-release. A wheel for an older manylinux
/// or musllinux, or for `any`, is wider. Files of other kinds and invalid names are ignored. Pure.
std::vector<NarrowerWheel> narrower_wheels(const std::vector<std::string>& wheels,
                                           const std::vector<std::string>& published);

/// A warning about such wheels, one for all; empty without any.
std::vector<Error> narrower_warnings(const std::vector<NarrowerWheel>& wheels,
                                     const std::string& target);

}  // namespace pinwheel::publish
