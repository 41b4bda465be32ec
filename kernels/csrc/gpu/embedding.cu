#include "jobs/embedding.h"

#include "gpu/embedding_lookup.h"

namespace pinwheel {

template <class Index>
void run_gpu(const EmbeddingForwardJob<Index>& job, void* stream) {
  with_float_type(job.weights_dtype, [&](auto number) {
    gpu::launch_lookup("tbe_forward", job, PlainRows<decltype(number)>{}, stream);
  });
}

template void run_gpu(const EmbeddingForwardJob<int32_t>&, void*);
template void run_gpu(const EmbeddingForwardJob<int64_t>&, void*);

}  // namespace pinwheel
