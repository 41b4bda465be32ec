#include "exports/listing.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"

namespace pinwheel::exports {
namespace {

std::string name_of(const Table& table, const Record& record) {
  const Build& build = table.builds()[record.build];
  const std::string name = build.version + " " + build.arch + " " + record.soname;
  return record.python.empty() ? name : name + " " + record.python;
}

/// The same library in another table.
std::optional<uint32_t> find(const Table& table, const Build& build, const Record& record) {
  const std::vector<Record>& records = table.libraries();
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& other) {
    return other.soname == record.soname && other.python == record.python &&
           table.builds()[other.build] == build;
  });
  if (found == records.end()) return std::nullopt;
  return static_cast<uint32_t>(found - records.begin());
}

/// For each library of `from`: the number of its symbols missing from its counterpart in `other`.
std::vector<uint64_t> lacking(const Table& from, const Table& other,
                              const std::vector<std::optional<uint32_t>>& counterparts) {
  std::vector<uint64_t> count(from.libraries().size(), 0);
  const Parts& parts = from.parts();
  for (size_t i = 0; i < parts.hashes.size(); ++i) {
    const auto theirs = other.exporters_of(parts.hashes[i]);
    for (const uint32_t record : parts.sets[parts.set_of[i]]) {
      const std::optional<uint32_t>& counterpart = counterparts[record];
      const bool there =
          !counterpart || std::binary_search(theirs.begin(), theirs.end(), *counterpart);
      if (!there) ++count[record];
    }
  }
  return count;
}

}  // namespace

std::vector<BuildSummary> summaries(const Table& table) {
  std::vector<BuildSummary> all;
  for (const Build& build : table.builds()) all.push_back({build});
  std::map<std::pair<uint32_t, std::string>, uint32_t> seen;
  for (const Record& record : table.libraries()) {
    BuildSummary& summary = all[record.build];
    if (!record.python.empty() && std::find(summary.pythons.begin(), summary.pythons.end(),
                                            record.python) == summary.pythons.end()) {
      summary.pythons.push_back(record.python);
    }
    if (!seen.try_emplace({record.build, record.soname}, 0).second) continue;
    ++summary.libraries;
    summary.symbols += record.symbols;
  }
  for (BuildSummary& summary : all) {
    std::sort(summary.pythons.begin(), summary.pythons.end(), python_before);
  }
  return all;
}

std::vector<Difference> differences(const Table& table, const Table& read) {
  std::vector<std::optional<uint32_t>> theirs;
  std::vector<std::optional<uint32_t>> ours(table.libraries().size());
  for (const Record& record : read.libraries()) {
    theirs.push_back(find(table, read.builds()[record.build], record));
    if (theirs.back()) ours[*theirs.back()] = static_cast<uint32_t>(theirs.size() - 1);
  }
  const std::vector<uint64_t> more = lacking(read, table, theirs);
  const std::vector<uint64_t> less = lacking(table, read, ours);
  std::vector<Difference> found;
  for (size_t i = 0; i < theirs.size(); ++i) {
    const Record& record = read.libraries()[i];
    const std::string name = name_of(read, record);
    if (!theirs[i]) {
      found.push_back({name, "is not in the table"});
      continue;
    }
    if (more[i] > 0) {
      found.push_back({name, "exports " + plural(more[i], "symbol") + " that the table lacks"});
    }
    if (less[*theirs[i]] > 0) {
      found.push_back(
          {name, "lacks " + plural(less[*theirs[i]], "symbol") + " that the table has"});
    }
    if (table.libraries()[*theirs[i]].needed != record.needed) {
      found.push_back(
          {name, "needs " + quoted_list(record.needed) + ", not the libraries in the table"});
    }
  }
  return found;
}

}  // namespace pinwheel::exports
