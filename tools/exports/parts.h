#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exports/snapshot.h"

namespace pinwheel::exports {

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

}  // namespace pinwheel::exports
