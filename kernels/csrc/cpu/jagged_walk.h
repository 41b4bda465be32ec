#pragma once

// Walks jagged tensors from the first row to the last: each group is found from the previous one,
// while the functions of index/jagged.h search or divide. Offsets must be valid.

#include <algorithm>
#include <cstdint>

#include "index/jagged.h"

namespace pinwheel {

/// Maps innermost groups, queried in ascending order, to rows of the dense form.
template <class Index>
class GroupPlaces {
 public:
  explicit GroupPlaces(const JaggedView<Index>& jagged) : jagged_(jagged) {}

  /// The dense row of the first row of innermost group `group`; -1 if the group is not in the dense
  /// form.
  int64_t operator()(int64_t group) {
    const int last = jagged_.depth - 1;
    int64_t node = group;
    int64_t place = 0;
    int64_t stride = 1;
    for (int d = last - 1; d >= 0; --d) {
      const Index* const offsets = jagged_.offsets[d];
      int64_t& parent = parents_[d];
      if (parent < 0) {
        parent = segment_of(offsets, jagged_.groups[d], node);
        if (parent < 0) parent = jagged_.groups[d];
      }
      while (parent < jagged_.groups[d] && offsets[parent + 1] <= node) ++parent;
      if (parent >= jagged_.groups[d]) return -1;
      const int64_t within = node - static_cast<int64_t>(offsets[parent]);
      if (within >= jagged_.max_length[d]) return -1;
      place += within * stride;
      stride *= jagged_.max_length[d];
      node = parent;
    }
    return (node * stride + place) * jagged_.max_length[last];
  }

 private:
  const JaggedView<Index>& jagged_;
  int64_t parents_[kMaxJaggedDepth] = {-1, -1, -1, -1, -1};
};

/// Value rows [begin, end) of one innermost group. The first `kept` of them are the dense rows from
/// `dense_row` on; the others are truncated or belong to no group.
struct ValueRun {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t dense_row = 0;
  int64_t kept = 0;
};

/// Calls `body(run)` for value rows [first, last), run by run.
template <class Index, class Body>
void for_each_value_run(const JaggedView<Index>& jagged, int64_t first, int64_t last,
                        const Body& body) {
  const int level = jagged.depth - 1;
  const Index* const offsets = jagged.offsets[level];
  const int64_t groups = jagged.groups[level];
  GroupPlaces<Index> place_of(jagged);
  int64_t group = segment_of(offsets, groups, first);
  int64_t row = group < 0 ? last : first;
  for (; row < last && group < groups; ++group) {
    const int64_t end = std::min<int64_t>(last, offsets[group + 1]);
    if (end <= row) continue;
    const int64_t place = place_of(group);
    const int64_t within = row - static_cast<int64_t>(offsets[group]);
    const int64_t room = place < 0 ? 0 : std::max<int64_t>(0, jagged.max_length[level] - within);
    body(ValueRun{row, end, place + within, std::min(end - row, room)});
    row = end;
  }
  const int64_t rest = group < 0 ? first : row;
  if (rest < last) body(ValueRun{rest, last, 0, 0});
}

/// Calls `body(outer, run)` for the innermost groups [first, last) of the dense form, counted over
/// [groups[0], max_length[0..n-2]].
template <class Index, class Body>
void for_each_dense_run(const JaggedView<Index>& jagged, int64_t first, int64_t last,
                        const Body& body) {
  Coordinates at = coordinates_of(jagged, first);
  for (int64_t outer = first; outer < last; ++outer) {
    body(outer, run_at(jagged, at));
    int d = jagged.depth - 2;
    while (d >= 0 && ++at.within[d] == jagged.max_length[d]) at.within[d--] = 0;
    if (d < 0) ++at.group;
  }
}

}  // namespace pinwheel
