#include "exports/parts.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "pep/version.h"

namespace pinwheel::exports {

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
