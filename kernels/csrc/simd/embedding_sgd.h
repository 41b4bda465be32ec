#pragma once

#include "jobs/embedding_update.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Updates the rows of a bucket.
DECLARE_FOR_EACH_ISA(void update_rows(const RowUpdate& job, const SgdRule& rule,
                                      const RowBucket& bucket);)

}  // namespace pinwheel::simd
