#include "prepare/package_source.h"

namespace pinwheel::prepare {

PackageSource locks_or_indexes(UseLocks locks, Refresh refresh) {
  if (locks == UseLocks::yes) return FromLocks{refresh};
  return FromIndexes{refresh};
}

}  // namespace pinwheel::prepare
