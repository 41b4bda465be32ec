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
  uint32_t symbols = 0;  ///< how many it exports

  bool operator==(const Record&) const = default;
};

/// Sets of record indices, each ascending, one behind the other.
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

/// What a table is made of. Thousands of symbols come and go together, so each names one of a few
/// thousand sets instead of its libraries.
struct Parts {
  std::vector<Build> builds = {};
  std::vector<Record> records = {};
  std::vector<uint64_t> hashes = {};  ///< ascending
  std::vector<uint32_t> set_of = {};  ///< of each hash
  SetList sets = {};

  bool operator==(const Parts&) const = default;
};

/// Whether one build stands before the other: by version (PEP 440), then by architecture.
bool before(const Build& left, const Build& right);
/// Whether one record stands before the other: by soname, Python tag, architecture and version.
/// That makes the records of a symbol runs: the releases between its coming and its going.
bool before(const Record& left, const Record& right, const std::vector<Build>& builds);

/// Numbers the sets anew, the most used first, so that equal contents are equal parts, leaves out
/// sets that no symbol has and symbols whose set is empty, and counts the symbols of each record.
Parts in_order(Parts parts);

}  // namespace pinwheel::exports
