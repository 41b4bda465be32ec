#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::env {

/// The locations in which pip looks for packages, according to its configuration.
struct PipIndexes {
  std::optional<std::string> index = std::nullopt;  ///< nullopt: PyPI
  std::vector<std::string> extra = {};       ///< `extra-index-url`: http(s) and file URLs, in order
  std::vector<std::string> find_links = {};  ///< `find-links`: directories and pages
  std::string certificates = {};             ///< `cert`; empty: the system's
  bool no_index = false;                     ///< `no-index`: only `find-links` counts

  bool operator==(const PipIndexes&) const = default;
};

/// From the output of `pip config list`: variables take precedence over the files, and in the files
/// a command's section over the global one.
PipIndexes configured_indexes(std::string_view configuration);

/// Only the index; nullopt if none is set: PyPI.
std::optional<std::string> configured_index(std::string_view configuration);

}  // namespace pinwheel::env
