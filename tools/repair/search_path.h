#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pinwheel::repair {

/// A library whose search path is decided.
struct PathOwner {
  std::string member;     ///< for messages
  std::string installed;  ///< relative to site-packages; empty: it is installed elsewhere
  std::string old_path;   ///< its RPATH, or its RUNPATH
};

/// Where its dependencies will be, relative to site-packages.
struct Places {
  /// Directories that the new search path must have.
  std::vector<std::string> required = {};
  /// Directories of the wheel's own libraries, which an entry that is dropped may have found.
  std::vector<std::string> own = {};
};

/// A decided search path.
struct SearchPath {
  std::string text;                       ///< entries joined by colons
  std::vector<std::string> dropped = {};  ///< old entries that do not hold after installation
};

/// Keeps the old entries that stay inside site-packages, drops the others, and adds those that
/// `places` needs, each once. When something is dropped, directories of the wheel's own libraries
/// are added too.
SearchPath search_path(const PathOwner& owner, const Places& places);

}  // namespace pinwheel::repair
