#pragma once

#include <cstdint>
#include <functional>

#include "index/row_rules.h"
#include "index/tbe_tables.h"
#include "jobs/float_dtype.h"

namespace pinwheel {

/// A gradient and the rows that it updates. Pooled: one gradient row per sample, with the columns
/// of all tables side by side. Otherwise one gradient row per position.
struct RowUpdate {
  TbeTables tables;
  FloatDtype grad_dtype = FloatDtype::kFloat32;
  const void* grad = nullptr;
  int64_t grad_columns = 0;  ///< stride of gradient rows
  bool pooled = true;
  FloatDtype weights_dtype = FloatDtype::kFloat32;
  void* weights = nullptr;
};

/// Which positions look up which rows. Every row that is looked up is updated once, with the sum of
/// its gradients in the order of their positions.
template <class Index>
struct EmbeddingUpdate {
  RowUpdate rows;
  TbeBags<Index> bags;
  bool mean = false;                      ///< a bag's gradient is divided by the bag's length
  const float* indice_weights = nullptr;  ///< one per position, or null

  bool weighted() const { return mean || indice_weights != nullptr; }
};

// On the CPU, for Index = int32_t and int64_t. The contents of tables and offsets must have been
// checked, and tables must not overlap. Returns the first position whose index is invalid, in which
// case nothing was changed, or -1.
template <class Index>
int64_t run_cpu(const EmbeddingUpdate<Index>& job, const SgdRule& rule);
template <class Index>
int64_t run_cpu(const EmbeddingUpdate<Index>& job, const AdagradRule& rule);

/// A position that looks up row `row` of a bucket. Left uninitialized: callers fill large arrays of
/// these.
struct Occurrence {
  uint32_t row;
  uint32_t grad_row;

  float scale() const { return 1; }
};

/// As above, with a factor for the gradient.
struct WeightedOccurrence {
  uint32_t row;
  uint32_t grad_row;
  float factor;

  float scale() const { return factor; }
};

/// Some rows of one table, with all positions that look them up: by row, then by position.
struct RowBucket {
  TbeTable table;
  int64_t first_row = 0;    ///< of the table; occurrences store rows relative to it
  int64_t momentum_at = 0;  ///< where the momentum of that row is
  int64_t grad_at = 0;      ///< the element of the gradient where the table's row 0 starts
  bool weighted = false;    ///< whether occurrences are WeightedOccurrence
  const void* occurrences = nullptr;
  int64_t count = 0;
  float* sum = nullptr;  ///< scratch for the sum of a row's gradients
};

/// Groups positions by row and calls `body` for buckets that together hold all of them, from
/// several threads. Returns the same as run_cpu.
template <class Index>
int64_t for_each_bucket(const EmbeddingUpdate<Index>& job,
                        const std::function<void(const RowBucket&)>& body);

/// On a GPU: the contribution of a position to the row that it looks up.
struct alignas(16) GradientShare {
  int64_t grad_row;
  float factor;
  int32_t table;
};

/// A sort key for the row that each position looks up: equal for equal rows, and the type's maximum
/// for positions without a row.
struct RowKeys {
  bool wide = false;  ///< keys are int64, otherwise int32
  int64_t momentum_rows =
      -1;                ///< -1: keys say where rows start in the weights, else in the momentum
  void* keys = nullptr;  ///< [positions]
  GradientShare* shares = nullptr;  ///< [positions]
};

/// The same after a stable sort of positions by key.
struct SortedRows {
  RowKeys of;
  const void* keys = nullptr;
  const int64_t* order = nullptr;
  int64_t count = 0;
  float* partials = nullptr;  ///< scratch for partial sums of long runs
  int64_t capacity = 0;       ///< of `partials`, at least `partials_for`
  int64_t* plan = nullptr;    ///< scratch for kUpdatePlanNumbers
};

constexpr int64_t kUpdatePlanNumbers = 5;

/// The required capacity of `partials`. `widest`: an upper bound on the width of rows, which need
/// not be tight.
int64_t partials_for(int64_t positions, int64_t widest, int64_t grad_numbers);

template <class Index>
void run_gpu(const EmbeddingUpdate<Index>& job, const RowKeys& keys, void* stream);
void run_gpu(const RowUpdate& job, const SortedRows& sorted, const SgdRule& rule, void* stream);
void run_gpu(const RowUpdate& job, const SortedRows& sorted, const AdagradRule& rule, void* stream);

}  // namespace pinwheel
