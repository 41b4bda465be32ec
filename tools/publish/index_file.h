#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pep/version.h"
#include "pep/wheel_name.h"

namespace pinwheel::publish {

/// A file on a project's page of a simple index (PEP 503, 592, 691, 700, 714).
struct IndexFile {
  std::string filename;
  std::string url;  ///< as written on the page: absolute, or relative to it; no fragment
  std::map<std::string, std::string> hashes = {};  ///< algorithm to lower-case hexadecimal digits
  std::optional<uint64_t> size = std::nullopt;     ///< bytes
  std::string requires_python = {};
  std::string metadata_sha256 =
      {};  ///< SHA-256 of the sibling `<url>.metadata`; empty when there is none
  std::string upload_time = {};  ///< "2026-01-02T03:04:05.678Z"; empty when the page has none
  /// Why the file was yanked, empty without a reason; nullopt for a file that was not.
  std::optional<std::string> yanked = std::nullopt;
  /// Keys of a JSON page whose values have a type that PEP 691 and 700 do not allow.
  std::vector<std::string> malformed = {};

  bool operator==(const IndexFile&) const = default;
};

/// The version in the name of a wheel or an sdist; nullopt for any other name.
std::optional<pep::Version> version_of_file(std::string_view filename);

/// The build tag in the name of a wheel; nullopt for a wheel without one and for any other name.
std::optional<pep::BuildTag> build_of_file(std::string_view filename);

}  // namespace pinwheel::publish
