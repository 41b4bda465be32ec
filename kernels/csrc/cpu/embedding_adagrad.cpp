#include "simd/embedding_adagrad.h"
#include "jobs/embedding_update.h"

namespace pinwheel {

template <class Index>
int64_t run_cpu(const EmbeddingUpdate<Index>& job, const AdagradRule& rule) {
  return for_each_bucket(job, [&](const RowBucket& bucket) {
    CALL_FOR_ISA(simd, update_rows, job.rows, rule, bucket);
  });
}

template int64_t run_cpu(const EmbeddingUpdate<int32_t>&, const AdagradRule&);
template int64_t run_cpu(const EmbeddingUpdate<int64_t>&, const AdagradRule&);

}  // namespace pinwheel
