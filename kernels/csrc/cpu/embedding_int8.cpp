#include "jobs/embedding_int8.h"

#include "cpu/embedding.h"
#include "simd/embedding_int8.h"

namespace pinwheel {

template <class Index>
void run_cpu(const Int8EmbeddingForwardJob<Index>& job) {
  run_lookup(job.lookup, [&](int64_t first, int64_t last) {
    return CALL_FOR_ISA(simd, embedding_int8_forward, job, first, last);
  });
}

template void run_cpu(const Int8EmbeddingForwardJob<int32_t>&);
template void run_cpu(const Int8EmbeddingForwardJob<int64_t>&);

}  // namespace pinwheel
