#include "jobs/embedding_int8.h"

#include "gpu/embedding_lookup.h"

namespace pinwheel {

template <class Index>
void run_gpu(const Int8EmbeddingForwardJob<Index>& job, void* stream) {
  gpu::launch_lookup("int8_tbe_forward", job.lookup, CodeRows{job.layout}, stream);
}

template void run_gpu(const Int8EmbeddingForwardJob<int32_t>&, void*);
template void run_gpu(const Int8EmbeddingForwardJob<int64_t>&, void*);

}  // namespace pinwheel
