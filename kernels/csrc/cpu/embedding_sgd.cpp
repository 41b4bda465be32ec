#include "simd/embedding_sgd.h"
#include "jobs/embedding_update.h"

namespace pinwheel {

template <class Index>
int64_t run_cpu(const EmbeddingUpdate<Index>& job, const SgdRule& rule) {
  return for_each_bucket(job, [&](const RowBucket& bucket) {
    CALL_FOR_ISA(simd, update_rows, job.rows, rule, bucket);
  });
}

template int64_t run_cpu(const EmbeddingUpdate<int32_t>&, const SgdRule&);
template int64_t run_cpu(const EmbeddingUpdate<int64_t>&, const SgdRule&);

}  // namespace pinwheel
