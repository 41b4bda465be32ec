#pragma once

#include "index/quantized_row.h"
#include "jobs/embedding.h"

namespace pinwheel {

/// As EmbeddingForwardJob, but rows are codes with their own scale and bias. Weights are bytes, and
/// so are the units of `lookup.tables`; `lookup.weights_dtype` is ignored.
template <class Index>
struct Int8EmbeddingForwardJob {
  EmbeddingForwardJob<Index> lookup;
  QuantizedLayout layout;  ///< `row_bytes` comes from each table's stride
};

/// The layout of a table's rows.
PW_HD QuantizedLayout layout_of(const QuantizedLayout& any, const TbeTable& table) {
  QuantizedLayout layout = any;
  layout.row_bytes = table.stride;
  return layout;
}

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const Int8EmbeddingForwardJob<Index>& job);
template <class Index>
void run_gpu(const Int8EmbeddingForwardJob<Index>& job, void* stream);

}  // namespace pinwheel
