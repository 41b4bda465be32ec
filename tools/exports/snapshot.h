#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::exports {

/// A build of torch. A bare version is the build that PyPI has; others carry their local label.
struct Build {
  std::string version;  ///< "2.13.0", "2.13.0+cpu", normalised
  std::string arch;     ///< "x86_64", "aarch64"

  bool operator==(const Build&) const = default;
};

/// What stands for a symbol's mangled name in a table: the 64-bit FNV-1a hash, its bits mixed once
/// more by the finaliser of splitmix64, because the hashes of similar names must not lie together.
uint64_t symbol_hash(std::string_view mangled);

/// The library that is another for each Python.
inline constexpr std::string_view kPythonLibrary = "libtorch_python.so";

/// A shared library of a build and what it exports: the symbols that are defined, global, weak or
/// unique, and of default or protected visibility.
struct Library {
  std::string soname;
  std::string python = {};  ///< "cp311" where the library is another for each Python, else empty
  std::vector<std::string> needed = {};  ///< sonames, in the order of its dynamic section
  std::vector<uint64_t> symbols = {};    ///< hashes, in any order
};

/// What one build exports, or the part of it that was read.
struct Snapshot {
  Build build;
  std::vector<Library> libraries = {};
};

}  // namespace pinwheel::exports
