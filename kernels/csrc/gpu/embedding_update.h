#pragma once

#include "jobs/embedding_update.h"

namespace pinwheel {

/// The plan, and the partial sums of all whole chunks of one row.
void sum_chunks(const RowUpdate& job, const SortedRows& sorted, void* stream);

}  // namespace pinwheel
