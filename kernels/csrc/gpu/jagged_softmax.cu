#include "jobs/jagged_softmax.h"

#include "gpu/device.h"
#include "units/jagged_softmax_units.h"

// Roofline: memory, each value read and each result written once; for 16-bit types the exponentials
// cost half as much as the bytes. A team of threads takes one group and up to 32 columns: adjacent
// threads read adjacent columns, the team's further threads other rows. The first pass keeps a
// running maximum and sum, so that values are read twice and not three times, the second time from
// the caches; partial results are merged in shared memory, in a fixed order. A block of 256 threads
// holds as many teams as fit, so short groups do not leave it idle. Further blocks of the same
// launch clear the rows that no team writes.

namespace pinwheel {
namespace jagged_softmax_kernels {

using namespace gpu;

/// Teams of `columns` * `rows` threads, both powers of two.
struct Teams {
  int columns = 1;
  int rows = 1;
};

inline Teams teams_for(int64_t columns, int64_t longest) {
  Teams teams;
  while (teams.columns < kLanes && teams.columns < columns) teams.columns *= 2;
  // More than 4 rows per thread are split over more threads.
  while (teams.rows * teams.columns < kThreads && teams.rows * 4 < longest) teams.rows *= 2;
  return teams;
}

/// The items, a group and up to 32 columns each, and how many of the launch's blocks take them.
struct Work {
  Teams teams;
  int64_t items = 0;
  int64_t blocks = 0;

  PW_HD int64_t per_block() const { return kThreads / (teams.columns * teams.rows); }
};

/// A thread's position in its block, its team and its job.
struct Place {
  int thread = 0;
  int row = 0;         ///< within its team
  int64_t column = 0;  ///< of the values; may be past the last one
  Run run;             ///< the group's rows; empty if there is no group left

  template <class Index>
  __device__ Place(const JaggedView<Index>& jagged, const Teams& teams, int64_t columns,
                   int64_t first_item) {
    thread = static_cast<int>(threadIdx.x);
    const int64_t item = first_item + thread / (teams.columns * teams.rows);
    const int64_t tiles = (columns + teams.columns - 1) / teams.columns;
    row = thread / teams.columns % teams.rows;
    column = item % tiles * teams.columns + thread % teams.columns;
    if (item / tiles < jagged.groups[0] && column < columns) run = run_of(jagged, item / tiles);
  }
};

/// Merges the parts of the threads of a team that share a column. All threads of a block must call
/// it.
template <class Part>
__device__ Part merged(Part* parts, const Part& own, const Place& place, const Teams& teams) {
  parts[place.thread] = own;
  __syncthreads();
  for (int half = teams.rows / 2; half > 0; half /= 2) {
    if (place.row < half) parts[place.thread].merge(parts[place.thread + half * teams.columns]);
    __syncthreads();
  }
  const Part result = parts[place.thread - place.row * teams.columns];
  __syncthreads();
  return result;
}

/// Clears the rows that no group's threads write. With invalid offsets, a group may claim a row
/// that the search does not find; then either may be last.
template <class Element, class Job>
__device__ void clear_rest(const Job& job, int64_t block, int64_t blocks) {
  for (int64_t i = block * kThreads + threadIdx.x; i < job.jagged.value_rows;
       i += blocks * kThreads) {
    const int64_t place = dense_row_of(job.jagged, i);
    if (place >= 0 && value_row_of(job.jagged, place) == i) continue;
    Element* const row = static_cast<Element*>(job.out) + i * job.columns;
    for (int64_t c = 0; c < job.columns; ++c) row[c] = Element{};
  }
}

template <class Element, class Index>
__global__ void softmax_kernel(JaggedSoftmaxJob<Index> job, Work work) {
  using Number = Wide<Element>;
  __shared__ SoftmaxSum<Number> parts[kThreads];
  if (blockIdx.x >= work.blocks) {
    return clear_rest<Element>(job, blockIdx.x - work.blocks, gridDim.x - work.blocks);
  }
  const Teams teams = work.teams;
  const int64_t per_block = work.per_block();
  const Element* const values = static_cast<const Element*>(job.values);
  Element* const out = static_cast<Element*>(job.out);
  for (int64_t first = blockIdx.x * per_block; first < work.items;
       first += work.blocks * per_block) {
    const Place place(job.jagged, teams, job.columns, first);
    const int64_t base = place.run.begin * job.columns + place.column;
    SoftmaxSum<Number> own{};
    for (int64_t l = place.row; l < place.run.length; l += teams.rows) {
      own.add(to_float(values[base + l * job.columns]));
    }
    const SoftmaxSum<Number> all = merged(parts, own, place, teams);
    for (int64_t l = place.row; l < place.run.length; l += teams.rows) {
      const int64_t at = base + l * job.columns;
      from_float(all.share_of(to_float(values[at])), out[at]);
    }
  }
}

template <class Element, class Index>
__global__ void gradient_kernel(JaggedSoftmaxGradientJob<Index> job, Work work) {
  using Number = Wide<Element>;
  __shared__ DotSum<Number> parts[kThreads];
  if (blockIdx.x >= work.blocks) {
    return clear_rest<Element>(job, blockIdx.x - work.blocks, gridDim.x - work.blocks);
  }
  const Teams teams = work.teams;
  const int64_t per_block = work.per_block();
  const Element* const gradient = static_cast<const Element*>(job.gradient);
  const Element* const softmax = static_cast<const Element*>(job.softmax);
  Element* const out = static_cast<Element*>(job.out);
  for (int64_t first = blockIdx.x * per_block; first < work.items;
       first += work.blocks * per_block) {
    const Place place(job.jagged, teams, job.columns, first);
    const int64_t base = place.run.begin * job.columns + place.column;
    DotSum<Number> own{};
    for (int64_t l = place.row; l < place.run.length; l += teams.rows) {
      const int64_t at = base + l * job.columns;
      own.sum += static_cast<Number>(to_float(gradient[at])) * to_float(softmax[at]);
    }
    const Number sum = merged(parts, own, place, teams).sum;
    for (int64_t l = place.row; l < place.run.length; l += teams.rows) {
      const int64_t at = base + l * job.columns;
      from_float(to_float(softmax[at]) * (to_float(gradient[at]) - sum), out[at]);
    }
  }
}

template <class Job, class Kernel>
void launch_teams(const char* name, Kernel kernel, const Job& job, void* stream) {
  if (job.columns == 0) return;
  Work work;
  work.teams = teams_for(job.columns, job.jagged.max_length[0]);
  const int64_t tiles = (job.columns + work.teams.columns - 1) / work.teams.columns;
  work.items = job.jagged.groups[0] * tiles;
  work.blocks = blocks_for(work.items, work.per_block());
  const int64_t blocks = work.blocks + blocks_for(job.jagged.value_rows, kThreads);
  if (blocks == 0) return;
  launch(name, kernel, blocks, static_cast<Stream>(stream), job, work);
}

}  // namespace jagged_softmax_kernels

using namespace jagged_softmax_kernels;

template <class Index>
void run_gpu(const JaggedSoftmaxJob<Index>& job, void* stream) {
  with_real_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    launch_teams("jagged_softmax", &softmax_kernel<Element, Index>, job, stream);
  });
}

template <class Index>
void run_gpu(const JaggedSoftmaxGradientJob<Index>& job, void* stream) {
  with_real_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    launch_teams("jagged_softmax_backward", &gradient_kernel<Element, Index>, job, stream);
  });
}

template void run_gpu(const JaggedSoftmaxJob<int32_t>&, void*);
template void run_gpu(const JaggedSoftmaxJob<int64_t>&, void*);
template void run_gpu(const JaggedSoftmaxGradientJob<int32_t>&, void*);
template void run_gpu(const JaggedSoftmaxGradientJob<int64_t>&, void*);

}  // namespace pinwheel
