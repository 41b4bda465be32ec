#include "exports/table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "pep/version.h"

namespace pinwheel::exports {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// Assigns a number to each distinct set.
class SetPool {
 public:
  explicit SetPool(SetList& sets) : sets_(&sets) {}

  uint32_t number(const std::vector<uint32_t>& members) {
    const auto [found, added] = numbers_.try_emplace(members, sets_->size());
    if (added) sets_->add(members);
    return found->second;
  }

 private:
  SetList* sets_;
  std::map<std::vector<uint32_t>, uint32_t> numbers_;
};

std::vector<Record> records_of(const Snapshot& snapshot) {
  std::vector<Record> records;
  for (const Library& library : snapshot.libraries) {
    const bool known = std::any_of(records.begin(), records.end(), [&](const Record& record) {
      return record.soname == library.soname && record.python == library.python;
    });
    if (!known) records.push_back({0, library.soname, library.python, library.needed, 0});
  }
  std::sort(records.begin(), records.end(),
            [&](const Record& a, const Record& b) { return before(a, b, {snapshot.build}); });
  return records;
}

/// Merges the records, symbols and sets of two tables.
class Merger {
 public:
  Merger(const Parts& base, const Parts& over) : base_(base), over_(over), pool_(out_.sets) {}

  Parts run() {
    merge_builds();
    merge_records();
    size_t i = 0;
    size_t j = 0;
    while (i < base_.hashes.size() || j < over_.hashes.size()) {
      const bool from_base = j == over_.hashes.size() ||
                             (i < base_.hashes.size() && base_.hashes[i] <= over_.hashes[j]);
      const bool from_over = i == base_.hashes.size() ||
                             (j < over_.hashes.size() && over_.hashes[j] <= base_.hashes[i]);
      out_.hashes.push_back(from_base ? base_.hashes[i] : over_.hashes[j]);
      const uint32_t left = from_base ? base_.set_of[i++] : kNone;
      const uint32_t right = from_over ? over_.set_of[j++] : kNone;
      out_.set_of.push_back(set_of(left, right));
    }
    return std::move(out_);
  }

 private:
  void merge_builds() {
    out_.builds = base_.builds;
    for (const Build& build : over_.builds) {
      if (std::find(out_.builds.begin(), out_.builds.end(), build) == out_.builds.end()) {
        out_.builds.push_back(build);
      }
    }
    std::sort(out_.builds.begin(), out_.builds.end(),
              [](const Build& a, const Build& b) { return before(a, b); });
  }

  uint32_t place_of(const Build& build) const {
    return static_cast<uint32_t>(std::find(out_.builds.begin(), out_.builds.end(), build) -
                                 out_.builds.begin());
  }

  /// The records of a table, with the build indexes of the merged table.
  std::vector<Record> moved(const Parts& parts) const {
    std::vector<Record> records = parts.records;
    for (Record& record : records) record.build = place_of(parts.builds[record.build]);
    return records;
  }

  static bool same(const Record& a, const Record& b) {
    return a.build == b.build && a.soname == b.soname && a.python == b.python;
  }

  void merge_records() {
    const std::vector<Record> base = moved(base_);
    const std::vector<Record> over = moved(over_);
    const auto replaced = [&](const Record& record) {
      return std::any_of(over.begin(), over.end(),
                         [&](const Record& other) { return same(record, other); });
    };
    out_.records = over;
    for (const Record& record : base) {
      if (!replaced(record)) out_.records.push_back(record);
    }
    std::sort(out_.records.begin(), out_.records.end(),
              [this](const Record& a, const Record& b) { return before(a, b, out_.builds); });
    const auto place = [&](const Record& record) {
      const auto found = std::find_if(out_.records.begin(), out_.records.end(),
                                      [&](const Record& other) { return same(record, other); });
      return static_cast<uint32_t>(found - out_.records.begin());
    };
    for (const Record& record : base)
      from_base_.push_back(replaced(record) ? kNone : place(record));
    for (const Record& record : over) from_over_.push_back(place(record));
  }

  /// Symbols with the same pair of sets share the merged set.
  uint32_t set_of(uint32_t left, uint32_t right) {
    const uint64_t key = (uint64_t{left} << 32U) | right;
    const auto known = combined_.find(key);
    if (known != combined_.end()) return known->second;
    std::vector<uint32_t> members;
    if (left != kNone) {
      for (const uint32_t record : base_.sets[left]) {
        if (from_base_[record] != kNone) members.push_back(from_base_[record]);
      }
    }
    if (right != kNone) {
      for (const uint32_t record : over_.sets[right]) members.push_back(from_over_[record]);
    }
    std::sort(members.begin(), members.end());
    return combined_[key] = pool_.number(members);
  }

  const Parts& base_;
  const Parts& over_;
  Parts out_;
  SetPool pool_;
  std::vector<uint32_t> from_base_;  ///< the new number of each record; `kNone`: replaced
  std::vector<uint32_t> from_over_;
  std::unordered_map<uint64_t, uint32_t> combined_;
};

}  // namespace

Table Table::of(const Snapshot& snapshot) {
  Parts parts{{snapshot.build}, records_of(snapshot)};
  std::vector<std::pair<uint64_t, uint32_t>> exported;
  for (const Library& library : snapshot.libraries) {
    const auto record =
        std::find_if(parts.records.begin(), parts.records.end(), [&](const Record& each) {
          return each.soname == library.soname && each.python == library.python;
        });
    const auto number = static_cast<uint32_t>(record - parts.records.begin());
    for (const uint64_t hash : library.symbols) exported.emplace_back(hash, number);
  }
  std::sort(exported.begin(), exported.end());
  exported.erase(std::unique(exported.begin(), exported.end()), exported.end());
  SetPool pool(parts.sets);
  for (size_t i = 0; i < exported.size();) {
    const uint64_t hash = exported[i].first;
    std::vector<uint32_t> members;
    for (; i < exported.size() && exported[i].first == hash; ++i) {
      members.push_back(exported[i].second);
    }
    parts.hashes.push_back(hash);
    parts.set_of.push_back(pool.number(members));
  }
  return Table(std::move(parts));
}

std::span<const uint32_t> Table::exporters_of(uint64_t hash) const {
  const auto found = std::lower_bound(parts_.hashes.begin(), parts_.hashes.end(), hash);
  if (found == parts_.hashes.end() || *found != hash) return {};
  return parts_.sets[parts_.set_of[static_cast<size_t>(found - parts_.hashes.begin())]];
}

Table merge(const Table& base, const Table& over) {
  return Table(Merger(base.parts(), over.parts()).run());
}

uint64_t symbol_hash(std::string_view mangled) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : mangled) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  hash ^= hash >> 30U;
  hash *= 0xbf58476d1ce4e5b9;
  hash ^= hash >> 27U;
  hash *= 0x94d049bb133111eb;
  hash ^= hash >> 31U;
  return hash;
}

bool before(const Build& left, const Build& right) {
  const auto a = pep::parse_version(left.version);
  const auto b = pep::parse_version(right.version);
  if (a && b && !(*a == *b)) return *a < *b;
  return std::tie(left.version, left.arch) < std::tie(right.version, right.arch);
}

bool before(const Record& left, const Record& right, const std::vector<Build>& builds) {
  return std::tie(left.soname, left.python, builds[left.build].arch, left.build) <
         std::tie(right.soname, right.python, builds[right.build].arch, right.build);
}

Parts canonical(Parts parts) {
  std::vector<uint32_t> uses(parts.sets.size(), 0);
  for (const uint32_t set : parts.set_of) ++uses[set];
  std::vector<uint32_t> order(parts.sets.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](uint32_t set) { return uses[set] == 0 || parts.sets[set].empty(); });
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (uses[a] != uses[b]) return uses[a] > uses[b];
    const auto left = parts.sets[a];
    const auto right = parts.sets[b];
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });

  Parts out{std::move(parts.builds), std::move(parts.records)};
  for (Record& record : out.records) record.symbols = 0;
  std::vector<uint32_t> renumbered(parts.sets.size(), UINT32_MAX);
  for (const uint32_t set : order) {
    renumbered[set] = out.sets.size();
    out.sets.add(parts.sets[set]);
    for (const uint32_t record : parts.sets[set]) out.records[record].symbols += uses[set];
  }
  for (size_t i = 0; i < parts.hashes.size(); ++i) {
    const uint32_t set = renumbered[parts.set_of[i]];
    if (set == UINT32_MAX) continue;
    out.hashes.push_back(parts.hashes[i]);
    out.set_of.push_back(set);
  }
  return out;
}

}  // namespace pinwheel::exports
