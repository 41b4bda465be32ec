#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::exports {

/// A build of torch. A version without a local label is the build on PyPI.
struct Build {
  std::string version;  ///< "2.13.0", "2.13.0+cpu", normalized
  std::string arch;     ///< "x86_64", "aarch64"

  bool operator==(const Build&) const = default;
};

/// The hash that represents a symbol's mangled name in a table: 64-bit FNV-1a, followed by the
/// finalizer of splitmix64, because the hashes of similar names must not be close together.
uint64_t symbol_hash(std::string_view mangled);

/// The library that differs for each Python.
inline constexpr std::string_view kPythonLibrary = "libtorch_python.so";

/// A shared library of a build and its exports: defined symbols, global, weak or unique, of default
/// or protected visibility.
struct Library {
  std::string soname;
  std::string python = {};  ///< "cp311" for a library that differs for each Python, else empty
  std::vector<std::string> needed = {};  ///< sonames, in the order of its dynamic section
  std::vector<uint64_t> symbols = {};    ///< hashes, in any order
};

/// The exports of one build, or the part that was read.
struct Snapshot {
  Build build;
  std::vector<Library> libraries = {};
};

}  // namespace pinwheel::exports
