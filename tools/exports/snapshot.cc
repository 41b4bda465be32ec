#include "exports/snapshot.h"

namespace pinwheel::exports {

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

}  // namespace pinwheel::exports
