#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pinwheel {

/// Stable; for few items.
template <class Item>
void insertion_sort(Item* items, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const Item item = items[i];
    int64_t to = i;
    for (; to > 0 && items[to - 1].row > item.row; --to) items[to] = items[to - 1];
    items[to] = item;
  }
}

/// One pass of a radix sort by `bits` bits of the rows, starting at bit `shift`.
template <class Item>
void radix_pass(const Item* from, Item* to, int64_t count, int shift, int bits) {
  constexpr int kMostBits = 11;
  int64_t next[1 << kMostBits];
  const uint32_t mask = (uint32_t{1} << bits) - 1;
  std::memset(next, 0, sizeof(next[0]) << bits);
  for (int64_t i = 0; i < count; ++i) ++next[(from[i].row >> shift) & mask];
  int64_t before = 0;
  for (uint32_t digit = 0; digit <= mask; ++digit) {
    const int64_t here = next[digit];
    next[digit] = before;
    before += here;
  }
  for (int64_t i = 0; i < count; ++i) to[next[(from[i].row >> shift) & mask]++] = from[i];
}

/// Stable sort by the lowest `bits` bits of the row. Returns where the result is: `items` or
/// `room`, which have the same length.
template <class Item>
Item* sort_by_row(Item* items, Item* room, int64_t count, int bits) {
  constexpr int64_t kFew = 32;
  if (bits == 0 || count < 2) return items;
  if (count <= kFew) {
    insertion_sort(items, count);
    return items;
  }
  // For few items, many counters cost more than another pass.
  const int most_bits = count < 1024 ? 8 : 11;
  const int passes = (bits + most_bits - 1) / most_bits;
  const int digit = (bits + passes - 1) / passes;
  for (int shift = 0; shift < bits; shift += digit) {
    radix_pass(items, room, count, shift, std::min(digit, bits - shift));
    std::swap(items, room);
  }
  return items;
}

}  // namespace pinwheel
