#include "simd/embedding_sgd.h"

#include "simd/embedding_rows.h"

namespace pinwheel::simd::PINWHEEL_ISA {

void update_rows(const RowUpdate& job, const SgdRule& rule, const RowBucket& bucket) {
  update_bucket(job, rule, bucket);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
