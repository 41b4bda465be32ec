#include "inspect/wheel_facts.h"

#include <algorithm>

namespace pinwheel::inspect {
namespace {

uint64_t consumed_at(const PackedMap& map, uint64_t offset) {
  const size_t last = map.consumed.size() - 1;
  const size_t before = std::min<uint64_t>(offset / map.step, last);
  const size_t after = std::min(before + 1, last);
  const uint64_t begin = std::min(before * map.step, map.size);
  const uint64_t length = std::max<uint64_t>(std::min(map.step, map.size - begin), 1);
  const uint64_t inside = std::min(offset - begin, length);
  const uint64_t gap = map.consumed[after] - map.consumed[before];
  return map.consumed[before] +
         static_cast<uint64_t>(static_cast<double>(gap) * static_cast<double>(inside) /
                               static_cast<double>(length));
}

}  // namespace

uint64_t PackedMap::packed(uint64_t offset, uint64_t length) const {
  if (consumed.empty() || step == 0 || offset + length < offset) return 0;
  return consumed_at(*this, offset + length) - consumed_at(*this, offset);
}

}  // namespace pinwheel::inspect
