#pragma once

#include "jobs/embedding_update.h"

namespace pinwheel {

/// Computes the plan and the partial sums of all chunks that belong to one row.
void sum_chunks(const RowUpdate& job, const SortedRows& sorted, void* stream);

}  // namespace pinwheel
