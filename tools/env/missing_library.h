#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::env {

enum class LibrarySource { system, cuda };

/// A library of the system, or of CUDA, that a build did not find.
struct MissingLibrary {
  std::string line;     ///< the output line that shows it
  std::string package;  ///< Debian's, "libcairo2-dev", or a part of the toolkit, "cusparse"
  LibrarySource source = LibrarySource::system;

  bool operator==(const MissingLibrary&) const = default;
};

/// The library of the system, or of CUDA (`cuda_part`), that a build lacks, according to the final
/// messages of compilers (a header), linkers, meson, CMake, pkg-config and scripts that look for a
/// `NAME-config`. nullopt for any other output, or if Debian's package is not known.
std::optional<MissingLibrary> missing_library(std::string_view output);

}  // namespace pinwheel::env
