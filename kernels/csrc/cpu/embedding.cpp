#include "jobs/embedding.h"

#include "cpu/embedding.h"
#include "simd/embedding.h"

namespace pinwheel {

template <class Index>
void run_cpu(const EmbeddingForwardJob<Index>& job) {
  run_lookup(job, [&](int64_t first, int64_t last) {
    return CALL_FOR_ISA(simd, embedding_forward, job, first, last);
  });
}

template void run_cpu(const EmbeddingForwardJob<int32_t>&);
template void run_cpu(const EmbeddingForwardJob<int64_t>&);

}  // namespace pinwheel
