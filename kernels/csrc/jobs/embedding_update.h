#pragma once

#include <cstdint>
#include <functional>

#include "index/row_rules.h"
#include "index/tbe_tables.h"
#include "jobs/float_dtype.h"

namespace pinwheel {

/// A gradient and the rows that it changes. Pooled: a gradient row a sample, with the columns of
/// all tables side by side. Else a gradient row a position.
struct RowUpdate {
  TbeTables tables;
  FloatDtype grad_dtype = FloatDtype::kFloat32;
  const void* grad = nullptr;
  int64_t grad_columns = 0;  ///< from one gradient row to the next
  bool pooled = true;
  FloatDtype weights_dtype = FloatDtype::kFloat32;
  void* weights = nullptr;
};

/// Which positions ask for which rows. Every row that is asked for is changed once, by the sum of
/// its gradients in the order of their positions.
template <class Index>
struct EmbeddingUpdate {
  RowUpdate rows;
  TbeBags<Index> bags;
  bool mean = false;                      ///< a bag's gradient is divided by the bag's length
  const float* indice_weights = nullptr;  ///< one for each position, or none

  bool weighted() const { return mean || indice_weights != nullptr; }
};

// On the CPU, for Index = int32_t and int64_t. The contents of tables and offsets were checked, and
// tables do not overlap. Returns the first position whose index is not a row of its table, having
// changed nothing, or -1.
template <class Index>
int64_t run_cpu(const EmbeddingUpdate<Index>& job, const SgdRule& rule);
template <class Index>
int64_t run_cpu(const EmbeddingUpdate<Index>& job, const AdagradRule& rule);

/// A position that asks for row `row` of a bucket. Room for many is not to be filled twice: no
/// initial values.
struct Occurrence {
  uint32_t row;
  uint32_t grad_row;

  float scale() const { return 1; }
};

/// As above, where gradients count with a factor of their own.
struct WeightedOccurrence {
  uint32_t row;
  uint32_t grad_row;
  float factor;

  float scale() const { return factor; }
};

/// Some rows of one table, with all positions that ask for them: by row, then by position.
struct RowBucket {
  TbeTable table;
  int64_t first_row = 0;    ///< of the table; occurrences count rows from here
  int64_t momentum_at = 0;  ///< where the momentum of that row lies
  int64_t grad_at = 0;      ///< the element of the gradient where the table's row 0 starts
  bool weighted = false;    ///< whether occurrences are WeightedOccurrence
  const void* occurrences = nullptr;
  int64_t count = 0;
  float* sum = nullptr;  ///< room for the sum of a row's gradients
};

/// Groups positions by row and calls `body` for buckets that hold all of them, on several threads.
/// Returns as run_cpu does.
template <class Index>
int64_t for_each_bucket(const EmbeddingUpdate<Index>& job,
                        const std::function<void(const RowBucket&)>& body);

/// On a GPU: what a position brings to the row that it asks for.
struct alignas(16) GradientShare {
  int64_t grad_row;
  float factor;
  int32_t table;
};

/// A number for the row that each position asks for: equal for equal rows, and the type's largest
/// number for positions that ask for nothing.
struct RowKeys {
  bool wide = false;  ///< int64, else int32
  int64_t momentum_rows =
      -1;                ///< -1: keys say where rows start in the weights, else in the momentum
  void* keys = nullptr;  ///< [positions]
  GradientShare* shares = nullptr;  ///< [positions]
};

/// The same, with the keys sorted and the positions in their order; equal keys in the order of
/// positions.
struct SortedRows {
  RowKeys of;
  const void* keys = nullptr;
  const int64_t* order = nullptr;
  int64_t count = 0;
  float* partials = nullptr;  ///< room for sums of parts of long runs
  int64_t capacity = 0;       ///< of `partials`, at least `partials_for`
  int64_t* plan = nullptr;    ///< room for kUpdatePlanNumbers
};

constexpr int64_t kUpdatePlanNumbers = 3;

/// How many numbers `partials` wants. `widest`: no row is wider; it may be far too much.
int64_t partials_for(int64_t positions, int64_t widest, int64_t grad_numbers);

template <class Index>
void run_gpu(const EmbeddingUpdate<Index>& job, const RowKeys& keys, void* stream);
void run_gpu(const RowUpdate& job, const SortedRows& sorted, const SgdRule& rule, void* stream);
void run_gpu(const RowUpdate& job, const SortedRows& sorted, const AdagradRule& rule, void* stream);

}  // namespace pinwheel
