#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

/// A library of one build, without its symbols.
struct Record {
  uint32_t build = 0;  ///< an index into the table's builds
  std::string soname;
  std::string python = {};  ///< as in `Library`
  std::vector<std::string> needed = {};
  uint32_t symbols = 0;  ///< number of exported symbols

  bool operator==(const Record&) const = default;
};

/// Sets of record indexes, each ascending, stored contiguously.
class SetList {
 public:
  uint32_t size() const { return static_cast<uint32_t>(starts_.size() - 1); }
  std::span<const uint32_t> operator[](uint32_t index) const {
    return std::span(members_).subspan(starts_[index], starts_[index + 1] - starts_[index]);
  }
  void add(std::span<const uint32_t> members) {
    members_.insert(members_.end(), members.begin(), members.end());
    starts_.push_back(static_cast<uint32_t>(members_.size()));
  }
  size_t total() const { return members_.size(); }

  bool operator==(const SetList&) const = default;

 private:
  std::vector<uint32_t> starts_{0};
  std::vector<uint32_t> members_;
};

/// The data of a table. Thousands of symbols are exported by the same libraries, so each symbol
/// refers to one of a few thousand sets of libraries.
struct Parts {
  std::vector<Build> builds = {};
  std::vector<Record> records = {};
  std::vector<uint64_t> hashes = {};  ///< ascending
  std::vector<uint32_t> set_of = {};  ///< index of the set of each hash
  SetList sets = {};

  bool operator==(const Parts&) const = default;
};

/// The order of builds: by version (PEP 440), then by architecture.
bool before(const Build& left, const Build& right);
/// The order of records: by soname, Python tag, architecture and version. With it the records of a
/// symbol form runs: the releases from its first to its last.
bool before(const Record& left, const Record& right, const std::vector<Build>& builds);

/// Canonicalizes: renumbers the sets, the most used first, so that equal contents are equal parts;
/// drops unused sets and symbols with an empty set; counts the symbols of each record.
Parts canonical(Parts parts);

/// Which builds of torch export which symbols. Names with equal hashes share an entry; for a
/// million names the probability of a collision is one in thirty million.
class Table {
 public:
  Table() = default;
  /// The parts must be consistent.
  explicit Table(Parts parts) : parts_(canonical(std::move(parts))) {}
  /// A table of a single build. Duplicate libraries are merged.
  static Table of(const Snapshot& snapshot);

  /// Ascending by version (PEP 440), then by architecture.
  const std::vector<Build>& builds() const { return parts_.builds; }
  /// By soname, Python tag, architecture and version.
  const std::vector<Record>& libraries() const { return parts_.records; }
  /// The libraries that export the symbol, as ascending indexes into `libraries()`.
  std::span<const uint32_t> exporters(std::string_view mangled) const {
    return exporters_of(symbol_hash(mangled));
  }
  std::span<const uint32_t> exporters_of(uint64_t hash) const;
  const Parts& parts() const { return parts_; }

  bool operator==(const Table&) const = default;

 private:
  Parts parts_;
};

/// The libraries of both tables; a library in both (same build, soname and Python) is taken from
/// `over`.
Table merge(const Table& base, const Table& over);
inline Table merge(const Table& base, const Snapshot& snapshot) {
  return merge(base, Table::of(snapshot));
}

}  // namespace pinwheel::exports
