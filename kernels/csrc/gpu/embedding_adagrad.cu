// Limited by memory bandwidth; see embedding_update.cu for what is read and written.

#include "gpu/embedding_rows.h"

namespace pinwheel {

void run_gpu(const RowUpdate& job, const SortedRows& sorted, const AdagradRule& rule,
             void* stream) {
  gpu::change_rows(job, sorted, rule, stream);
}

}  // namespace pinwheel
