// What the embedding optimizers share on a GPU. Bytes: each position reads its index and writes its
// key and share (4 to 8, 4 to 8 and 16), the sort moves key and position once per digit (12 to 16
// bytes, 4 to 8 digits, read and write), and then each position reads its entry in the order, its
// share (a sector of 32) and its row of the gradient. Each touched row is read and written once.
// From 32 columns on gradients and rows dominate, and memory bandwidth is the limit: 16 bytes per
// lane for float32, 4 gradient rows in flight in each team, as many groups as fit.
//
// Rows that very many positions look up would keep one group busy for long, so whole chunks of one
// row are summed first, one block each, and their sums are added in order: parallel, and bitwise
// reproducible. Nothing waits for the device: a small first kernel computes what depends on
// contents (the width of rows, and from it how long chunks must be for the partial sums to fit).

#include "jobs/embedding_update.h"

#include "gpu/device.h"
#include "gpu/embedding_sums.h"
#include "gpu/embedding_update.h"

namespace pinwheel {
namespace embedding_update_kernels {

using namespace gpu;

template <class Index>
struct MakeRowKeys {
  EmbeddingUpdate<Index> job;
  RowKeys keys;
  PW_HD void operator()(int64_t i) const { row_key_unit(job, keys, i); }
};

/// One block.
__global__ void plan_kernel(TbeTables tables, SortedRows sorted) {
  __shared__ int64_t widest_of[kGroups];
  __shared__ uint32_t odd_in[kGroups];
  int64_t widest = 4;
  int64_t odd = 0;
  for (int64_t t = threadIdx.x; t < tables.count; t += kThreads) {
    const TbeTable table = tables.at(t);
    widest = table.columns > widest ? table.columns : widest;
    if (table.columns > 0) odd |= table.columns | table.out_column | table.first;
  }
  const uint32_t lanes_with_odd = lanes_where(odd % 4 != 0);
  for (int mask = kLanes / 2; mask > 0; mask /= 2) {
    const int64_t other = shuffle_xor(widest, mask);
    widest = other > widest ? other : widest;
  }
  if (threadIdx.x % kLanes == 0) {
    widest_of[threadIdx.x / kLanes] = widest;
    odd_in[threadIdx.x / kLanes] = lanes_with_odd;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  uint32_t any_odd = 0;
  for (int i = 0; i < kGroups; ++i) {
    widest = widest_of[i] > widest ? widest_of[i] : widest;
    any_odd |= odd_in[i];
  }
  const int64_t stride = (widest + 3) / 4 * 4;
  int64_t chunk = kLeastChunk;
  while (sorted.count / chunk > sorted.capacity / stride) chunk *= 2;
  int64_t lanes = 1;
  while (lanes < kLanes && 4 * lanes < widest) lanes *= 2;
  sorted.plan[0] = stride;
  sorted.plan[1] = chunk;
  sorted.plan[2] = sorted.count / chunk;
  sorted.plan[3] = lanes;
  sorted.plan[4] = any_odd == 0 && widest <= INT32_MAX / 2;
}

/// One block per chunk whose positions all look up one row: the sum of their gradients.
template <class Grad>
__global__ void chunk_sums_kernel(RowUpdate job, SortedRows sorted) {
  __shared__ Quad room[kThreads];
  const UpdatePlan plan(sorted.plan);
  const KeyList keys{sorted.keys, sorted.of.wide};
  const int lane = static_cast<int>(threadIdx.x) % plan.lanes;
  const int team = static_cast<int>(threadIdx.x) / plan.lanes;
  each_chunk_of_one_row<false>(plan, keys, [&](int64_t c) {
    const int64_t begin = c * plan.chunk;
    const int64_t table = sorted.of.shares[sorted.order[begin]].table;
    const RowGradients<Grad> gradients(job, sorted, place_of(job, sorted.of, keys[begin], table));
    const Part part(begin, begin + plan.chunk, team, kThreads / plan.lanes);
    for (int64_t first = 0; first < gradients.columns; first += 4 * plan.lanes) {
      const int64_t column = first + 4 * lane;
      Quad sum = {};
      if (column < gradients.columns) gradients.add(sum, part.first, part.last, column);
      sum = sum_over_teams(sum, plan, room);
      if (team == 0 && column < gradients.columns) {
        store_quad(sorted.partials + c * plan.stride + column, sum, 4, true);
      }
    }
  });
}

}  // namespace embedding_update_kernels

using namespace embedding_update_kernels;

template <class Index>
void run_gpu(const EmbeddingUpdate<Index>& job, const RowKeys& keys, void* stream) {
  launch_units("tbe_backward keys", MakeRowKeys<Index>{job, keys}, job.bags.positions, stream);
}

template void run_gpu(const EmbeddingUpdate<int32_t>&, const RowKeys&, void*);
template void run_gpu(const EmbeddingUpdate<int64_t>&, const RowKeys&, void*);

void sum_chunks(const RowUpdate& job, const SortedRows& sorted, void* stream_in) {
  const Stream stream = static_cast<Stream>(stream_in);
  launch("tbe_backward plan", &plan_kernel, 1, stream, job.tables, sorted);
  const int64_t chunks = sorted.count / kLeastChunk;
  if (chunks == 0) return;
  with_float_type(job.grad_dtype, [&](auto element) {
    launch("tbe_backward sums", &chunk_sums_kernel<decltype(element)>,
           blocks_for(chunks, kChunksPerBlock), stream, job, sorted);
  });
}

int64_t partials_for(int64_t positions, int64_t widest, int64_t grad_numbers) {
  // `widest` may be the width of all tables together, which would take far too much memory; above
  // this limit, chunks get longer instead.
  constexpr int64_t kEnough = int64_t{4} << 20;
  const int64_t stride = (std::max<int64_t>(widest, 4) + 3) / 4 * 4;
  const int64_t most = positions / kLeastChunk * stride;
  return std::max<int64_t>(1, std::min(most, std::max(kEnough, grad_numbers / 4)));
}

}  // namespace pinwheel
